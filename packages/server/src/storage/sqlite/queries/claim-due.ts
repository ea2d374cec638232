import type { Claim, ClaimedTarget, ClaimRequest, ClaimResult, Holder } from "../../store.ts";
import type { Context } from "../context.ts";
import { messageColumnCount, messageColumns, readStoredMessage } from "../message-table.ts";
import type { Values } from "../message-table.ts";

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
  selectWaiting.setReturnArrays(true);
  const selectMessage = db.prepare(
    `SELECT ${messageColumns}, payload FROM messages m JOIN targets USING (target_key)
     WHERE message_key = ?`,
  );
  selectMessage.setReturnArrays(true);

  function claimOne(epoch: number, messageKey: number, dueAt: number): Claim {
    const row = selectMessage.get(messageKey) as unknown as Values;
    const stored = readStoredMessage(row);
    claims.take({ ...stored, epoch, waiters: new Set() });
    const { message } = stored;
    return {
      messageId: message.messageId,
      targetKey: stored.targetKey,
      version: message.version,
      dueAt,
      planningTime: message.planningTime,
      originalDeliveryTime: message.originalDeliveryTime,
      attemptNumber: message.attemptCount + 1,
      attemptsThisRound: message.attemptsThisRound,
      payload: row[messageColumnCount] as string,
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
      for (const [messageKey, dueAt] of waiting as unknown as [number, number][]) {
        if (claims.get(messageKey) !== undefined) continue;
        if (dueAt > now || room === 0) {
          nextDueAt = dueAt;
          break;
        }
        claimed.push(claimOne(holder.epoch, messageKey, dueAt));
        room--;
      }
      targets.push({ targetKey, revision: target["revision"] as number, nextDueAt });
    }
    return { now, claims: claimed, targets };
  };
}
