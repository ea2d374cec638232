import type { Message } from "../../../domain/message.ts";
import { scheduled } from "../../../domain/transitions.ts";
import type { ScheduleResult } from "../../store.ts";
import type { Row, Run } from "../connections.ts";
import type { MessageDraft } from "../message-draft.ts";
import { messageIdOf } from "../message-rows.ts";

export interface TakenKeys {
  /** Those that have taken their key, and those that have none. */
  readonly open: readonly MessageDraft[];
  /** Those whose key was taken before, or is taken by an earlier one of this batch. */
  readonly repeats: readonly MessageDraft[];
}

export async function takeKeys(
  run: Run,
  drafts: readonly MessageDraft[],
  lifetime: { readonly now: number; readonly retentionMs: number },
): Promise<TakenKeys> {
  const first = new Map<string, MessageDraft>();
  for (const draft of drafts) {
    const key = keyOf(draft);
    if (key !== undefined && !first.has(key)) first.set(key, draft);
  }
  if (first.size === 0) return { open: drafts, repeats: [] };
  // In the order of the keys, so that two batches with the same ones cannot wait for each other.
  const ordered = [...first].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, draft]) => draft);
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
      lifetime.now,
      lifetime.retentionMs,
    ],
  });
  const taken = new Set(rows.map((row) => row["message_id"] as string));
  const isOpen = (draft: MessageDraft): boolean =>
    keyOf(draft) === undefined || taken.has(draft.uuid);
  return { open: drafts.filter(isOpen), repeats: drafts.filter((draft) => !isOpen(draft)) };
}

/** For those that took a key and were refused: the key is free for the next try. */
export async function giveKeysBack(run: Run, refused: readonly MessageDraft[]): Promise<void> {
  const drafts = refused.filter((draft) => keyOf(draft) !== undefined);
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

/** What the repeats are told; nothing for those whose key was given back. */
export async function firstAnswers(
  run: Run,
  repeats: readonly MessageDraft[],
): Promise<Map<MessageDraft, ScheduleResult>> {
  const answers = new Map<MessageDraft, ScheduleResult>();
  if (repeats.length === 0) return answers;
  const rows = await run({
    name: "find-idempotency-keys",
    text: `SELECT k.* FROM idempotency_keys k
      JOIN unnest($1::text[], $2::text[]) AS u(account_id, key)
        ON k.account_id = u.account_id AND k.key = u.key`,
    values: [
      repeats.map(({ request }) => request.accountId),
      repeats.map(({ request }) => request.idempotency!.key),
    ],
  });
  const byKey = new Map(rows.map((row) => [JSON.stringify([row["account_id"], row["key"]]), row]));
  for (const draft of repeats) {
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

function keyOf({ request }: MessageDraft): string | undefined {
  return request.idempotency === null
    ? undefined
    : JSON.stringify([request.accountId, request.idempotency.key]);
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
