import { monthOf } from "../../../domain/usage.ts";
import type { ScheduleRequest, ScheduleResult } from "../../store.ts";
import type { Run } from "../connections.ts";
import type { Context } from "../context.ts";
import { draftsOf, keptAs } from "../message-draft.ts";
import type { KeptMessage, MessageDraft } from "../message-draft.ts";
import { firstAnswers, giveKeysBack, takeKeys } from "./idempotency-keys.ts";
import { readClock } from "./read-clock.ts";
import { admitMessages } from "./usage.ts";

/**
 * Decides for one account, item by item: which targets are there, and how many messages its limit
 * leaves. Locks are waited for in one order, keys, targets, the account, its shares, and never those of
 * two accounts in one transaction; see docs/adr/0007-exact-quotas.md.
 */
export function scheduleAtTheEdge(context: Context) {
  const { connections, ids, idempotencyRetentionMs: retentionMs } = context;

  return (accountId: string, requests: readonly ScheduleRequest[]): Promise<ScheduleResult[]> =>
    connections.transaction(async (run) => {
      const now = await readClock({ query: run });
      const drafts = draftsOf(ids, requests);
      const { open, repeats } = await takeKeys(run, drafts, { now, retentionMs });
      const targetKeys = await lockTargets(run, accountId, open);
      const wanted = open.filter(({ request }) => targetKeys.has(request.targetId));
      const month = monthOf(now);
      const admitted = await admitMessages(run, { accountId, month, count: wanted.length });
      const isGone = admitted === "no-account";
      const kept = new Map(
        wanted
          .slice(0, isGone ? 0 : admitted)
          .map((draft) => [draft, keptAs(draft, targetKeys.get(draft.request.targetId)!, now)]),
      );
      await insertMessages(run, kept, { accountId, now });
      await giveKeysBack(
        run,
        open.filter((draft) => !kept.has(draft)),
      );
      const repeated = await firstAnswers(run, repeats);
      const refusal = ({ request }: MessageDraft): ScheduleResult =>
        !isGone && targetKeys.has(request.targetId)
          ? { kind: "over-quota" }
          : { kind: "no-target" };
      return drafts.map((draft) => kept.get(draft) ?? repeated.get(draft) ?? refusal(draft));
    }, accountId);
}

async function lockTargets(
  run: Run,
  accountId: string,
  drafts: readonly MessageDraft[],
): Promise<Map<string, number>> {
  if (drafts.length === 0) return new Map();
  const rows = await run({
    name: "lock-targets-against-removal",
    text: `SELECT target_id, target_key FROM targets
      WHERE account_id = $1 AND target_id = ANY($2::text[]) AND removal_time IS NULL
      ORDER BY target_id FOR KEY SHARE`,
    values: [accountId, [...new Set(drafts.map(({ request }) => request.targetId))]],
  });
  return new Map(rows.map((row) => [row["target_id"] as string, row["target_key"] as number]));
}

async function insertMessages(
  run: Run,
  kept: ReadonlyMap<MessageDraft, KeptMessage>,
  { accountId, now }: { readonly accountId: string; readonly now: number },
): Promise<void> {
  if (kept.size === 0) return;
  const drafts = [...kept.keys()];
  await run({
    name: "insert-messages",
    text: `
      INSERT INTO messages (message_id, account_id, target_key, state, version, scheduling_time,
        original_delivery_time, next_delivery_time, delivery_failure_count, attempt_count,
        attempts_this_round, planning_time, payload)
      SELECT i.message_id, $5, i.target_key, 0, 1, $6, i.delivery_time, i.delivery_time, 0, 0, 0, $6,
        i.payload
      FROM unnest($1::uuid[], $2::int[], $3::bigint[], $4::bytea[])
        AS i(message_id, target_key, delivery_time, payload)`,
    values: [
      drafts.map(({ uuid }) => uuid),
      [...kept.values()].map(({ targetKey }) => targetKey),
      drafts.map(({ request }) => request.deliveryTime),
      drafts.map(({ request }) => Buffer.from(request.payload)),
      accountId,
      now,
    ],
  });
}
