import type { Message } from "../../../domain/message.ts";
import { scheduled } from "../../../domain/transitions.ts";
import { formatMessageId } from "../../../platform/message-ids.ts";
import type { ScheduleRequest, ScheduleResult } from "../../store.ts";
import type { Query, Row } from "../connections.ts";
import type { Context } from "../context.ts";
import { messageIdOf, uuidOf } from "../message-rows.ts";

type Run = (query: Query) => Promise<Row[]>;

interface Draft {
  readonly request: ScheduleRequest;
  readonly uuid: string;
  readonly messageId: string;
}

export function scheduleMessages(context: Context) {
  const { connections, ids } = context;

  return async (requests: readonly ScheduleRequest[]): Promise<ScheduleResult[]> => {
    const drafts = requests.map((request): Draft => {
      const { bytes } = ids.next();
      return { request, uuid: uuidOf(bytes), messageId: formatMessageId(bytes) };
    });
    // The first of several equal keys in one batch takes the key; the others find it taken.
    const first = new Map<string, Draft>();
    for (const draft of drafts) {
      const key = keyOf(draft);
      if (key !== undefined && !first.has(key)) first.set(key, draft);
    }
    const withKey = [...first.values()];
    if (withKey.length === 0) {
      const kept = await insertMessages((query) => connections.query(query), drafts, null);
      return drafts.map((draft) => kept.get(draft) ?? { kind: "no-target" });
    }
    return connections.transaction(async (run) => {
      const [clock] = await run({ name: "read-clock", text: "SELECT now_ms() AS now" });
      const now = clock!["now"] as number;
      const winners = await takeKeys(context, run, withKey, now);
      const kept = await insertMessages(
        run,
        drafts.filter((draft) => keyOf(draft) === undefined || winners.has(draft)),
        now,
      );
      await giveKeysBack(
        run,
        withKey.filter((draft) => winners.has(draft) && !kept.has(draft)),
      );
      const losers = drafts.filter((draft) => keyOf(draft) !== undefined && !winners.has(draft));
      const repeated = await firstAnswers(run, losers);
      return drafts.map((draft) => kept.get(draft) ?? repeated.get(draft) ?? { kind: "no-target" });
    });
  };
}

function keyOf({ request }: Draft): string | undefined {
  return request.idempotency === null
    ? undefined
    : JSON.stringify([request.accountId, request.idempotency.key]);
}

/** In the order of the keys, so that two batches with the same ones cannot wait for each other. */
function inOrder(drafts: readonly Draft[]): Draft[] {
  return drafts.toSorted((a, b) => (keyOf(a)! < keyOf(b)! ? -1 : 1));
}

async function takeKeys(
  context: Context,
  run: Run,
  drafts: readonly Draft[],
  now: number,
): Promise<Set<Draft>> {
  const ordered = inOrder(drafts);
  const rows = await run({
    name: "take-idempotency-keys",
    text: `
      INSERT INTO idempotency_keys AS k (account_id, key, fingerprint, message_id, target_id,
        scheduling_time, original_delivery_time, expiration_time)
      SELECT u.account_id, u.key, u.fingerprint, u.message_id, u.target_id, $7::bigint,
        u.delivery_time, $7::bigint + $8::bigint
      FROM unnest($1::text[], $2::text[], $3::text[], $4::uuid[], $5::text[], $6::bigint[])
        AS u(account_id, key, fingerprint, message_id, target_id, delivery_time)
      ON CONFLICT (account_id, key) DO UPDATE SET fingerprint = excluded.fingerprint,
        message_id = excluded.message_id, target_id = excluded.target_id,
        scheduling_time = excluded.scheduling_time,
        original_delivery_time = excluded.original_delivery_time,
        expiration_time = excluded.expiration_time
      WHERE k.expiration_time <= $7::bigint
      RETURNING message_id`,
    values: [
      ordered.map(({ request }) => request.accountId),
      ordered.map(({ request }) => request.idempotency!.key),
      ordered.map(({ request }) => request.idempotency!.fingerprint),
      ordered.map(({ uuid }) => uuid),
      ordered.map(({ request }) => request.targetId),
      ordered.map(({ request }) => request.deliveryTime),
      now,
      context.idempotencyRetentionMs,
    ],
  });
  const taken = new Set(rows.map((row) => row["message_id"] as string));
  return new Set(drafts.filter(({ uuid }) => taken.has(uuid)));
}

async function giveKeysBack(run: Run, drafts: readonly Draft[]): Promise<void> {
  if (drafts.length === 0) return;
  await run({
    name: "give-idempotency-keys-back",
    text: `DELETE FROM idempotency_keys k
      USING unnest($1::text[], $2::text[]) AS u(account_id, key)
      WHERE k.account_id = u.account_id AND k.key = u.key`,
    values: [
      drafts.map(({ request }) => request.accountId),
      drafts.map(({ request }) => request.idempotency!.key),
    ],
  });
}

async function firstAnswers(
  run: Run,
  drafts: readonly Draft[],
): Promise<Map<Draft, ScheduleResult>> {
  const answers = new Map<Draft, ScheduleResult>();
  if (drafts.length === 0) return answers;
  const rows = await run({
    name: "find-idempotency-keys",
    text: `SELECT k.* FROM idempotency_keys k
      JOIN unnest($1::text[], $2::text[]) AS u(account_id, key)
        ON k.account_id = u.account_id AND k.key = u.key`,
    values: [
      drafts.map(({ request }) => request.accountId),
      drafts.map(({ request }) => request.idempotency!.key),
    ],
  });
  const byKey = new Map(rows.map((row) => [JSON.stringify([row["account_id"], row["key"]]), row]));
  for (const draft of drafts) {
    const row = byKey.get(keyOf(draft)!);
    if (row === undefined) continue;
    answers.set(
      draft,
      row["fingerprint"] === draft.request.idempotency!.fingerprint
        ? { kind: "repeated", message: firstAnswer(row) }
        : { kind: "key-reused" },
    );
  }
  return answers;
}

function firstAnswer(row: Row): Message {
  return scheduled(
    {
      messageId: messageIdOf(row["message_id"]),
      targetId: row["target_id"],
      deliveryTime: row["original_delivery_time"],
    },
    row["scheduling_time"],
  );
}

/** One statement for all: the targets' rows are locked against removal, and only live ones count. */
async function insertMessages(
  run: Run,
  drafts: readonly Draft[],
  now: number | null,
): Promise<Map<Draft, ScheduleResult>> {
  if (drafts.length === 0) return new Map();
  const rows = await run({
    name: "schedule-messages",
    text: `
      WITH input AS (
        SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[], $5::bytea[])
          AS u(message_id, account_id, target_id, delivery_time, payload)
      ), live AS MATERIALIZED (
        SELECT t.target_key, t.account_id, t.target_id FROM targets t
        WHERE (t.account_id, t.target_id) IN (SELECT DISTINCT account_id, target_id FROM input)
          AND t.removal_time IS NULL
        FOR KEY SHARE
      ), clock AS MATERIALIZED (SELECT coalesce($6::bigint, now_ms()) AS now)
      INSERT INTO messages (message_id, account_id, target_key, state, version, scheduling_time,
        original_delivery_time, next_delivery_time, delivery_failure_count, attempt_count,
        attempts_this_round, planning_time, payload)
      SELECT i.message_id, i.account_id, live.target_key, 0, 1, clock.now, i.delivery_time,
        i.delivery_time, 0, 0, 0, clock.now, i.payload
      FROM input i JOIN live USING (account_id, target_id) CROSS JOIN clock
      RETURNING message_id, target_key, scheduling_time`,
    values: [
      drafts.map(({ uuid }) => uuid),
      drafts.map(({ request }) => request.accountId),
      drafts.map(({ request }) => request.targetId),
      drafts.map(({ request }) => request.deliveryTime),
      drafts.map(({ request }) => Buffer.from(request.payload)),
      now,
    ],
  });
  const byId = new Map(rows.map((row) => [row["message_id"] as string, row]));
  const kept = new Map<Draft, ScheduleResult>();
  for (const draft of drafts) {
    const row = byId.get(draft.uuid);
    if (row === undefined) continue;
    const { targetId, deliveryTime } = draft.request;
    const { messageId } = draft;
    kept.set(draft, {
      kind: "scheduled",
      message: scheduled({ messageId, targetId, deliveryTime }, row["scheduling_time"] as number),
      targetKey: row["target_key"] as number,
    });
  }
  return kept;
}
