import { formatMessageId } from "../../../platform/message-ids.ts";
import type {
  Claim,
  ClaimedTarget,
  ClaimRequest,
  ClaimResult,
  DueWindow,
  Holder,
  Upcoming,
} from "../../store.ts";
import type { Context } from "../context.ts";
import type { Row } from "../message-table.ts";

/** A probe of the index per target, however many messages wait. */
export function upcoming({ db }: Context) {
  const select = db.prepare(
    `SELECT target_key AS targetKey,
       (SELECT min(next_delivery_time) FROM messages m
        WHERE m.target_key = t.target_key AND next_delivery_time >= :from + (t.target_key <= :key))
         AS dueAt
     FROM targets t JOIN accounts a USING (account_key)
     WHERE paused = 0 AND t.removal_time IS NULL AND a.suspension_time IS NULL AND dueAt <= :until`,
  );
  return ({ after, until }: DueWindow): Upcoming => ({
    targets: select
      .all({
        from: after?.time ?? Number.MIN_SAFE_INTEGER,
        key: after?.targetKey ?? 0,
        until: Math.min(until, Number.MAX_SAFE_INTEGER),
      })
      .map((row) => ({ targetKey: row["targetKey"] as number, dueAt: row["dueAt"] as number })),
    reached: null,
  });
}

export function claimDue(context: Context) {
  const { db, clock, claims } = context;
  const selectTarget = db.prepare(
    `SELECT paused OR a.suspension_time IS NOT NULL AS closed, revision
     FROM targets t JOIN accounts a USING (account_key)
     WHERE target_key = ? AND t.removal_time IS NULL`,
  );
  // Reads the index alone. What is in flight still stands in it, at its head, never more than the
  // target's concurrency.
  const selectWaiting = db.prepare(
    `SELECT message_key, next_delivery_time FROM messages
     WHERE target_key = ? AND next_delivery_time IS NOT NULL
     ORDER BY next_delivery_time, message_key LIMIT ?`,
  );
  const selectMessage = db.prepare(
    `SELECT message_id, version, planning_time, original_delivery_time, attempt_count,
       attempts_this_round, payload
     FROM messages WHERE message_key = ?`,
  );

  function claimOne(epoch: number, messageKey: number, targetKey: number, dueAt: number): Claim {
    const row = selectMessage.get(messageKey) as Row;
    const version = row["version"] as number;
    claims.take({ messageKey, targetKey, version, epoch, waiters: new Set() });
    return {
      messageId: formatMessageId(row["message_id"] as Uint8Array),
      targetKey,
      version,
      dueAt,
      planningTime: row["planning_time"] as number,
      originalDeliveryTime: row["original_delivery_time"] as number,
      attemptNumber: (row["attempt_count"] as number) + 1,
      attemptsThisRound: row["attempts_this_round"] as number,
      payload: row["payload"] as string,
    };
  }

  return (holder: Holder, requests: readonly ClaimRequest[]): ClaimResult => {
    const now = clock.now();
    const claimed: Claim[] = [];
    const targets: ClaimedTarget[] = [];
    for (const { targetKey, limit } of requests) {
      const target = selectTarget.get(targetKey);
      if (target === undefined) continue;
      let room = target["closed"] === 1 ? 0 : limit;
      let nextDueAt: number | null = null;
      const waiting =
        room === 0 ? [] : selectWaiting.all(targetKey, claims.countOf(targetKey) + room + 1);
      for (const row of waiting as Row[]) {
        const messageKey = row["message_key"] as number;
        const dueAt = row["next_delivery_time"] as number;
        if (claims.get(messageKey) !== undefined) continue;
        if (dueAt > now || room === 0) {
          nextDueAt = dueAt;
          break;
        }
        claimed.push(claimOne(holder.epoch, messageKey, targetKey, dueAt));
        room--;
      }
      targets.push({ targetKey, revision: target["revision"] as number, nextDueAt });
    }
    return { now, claims: claimed, targets };
  };
}
