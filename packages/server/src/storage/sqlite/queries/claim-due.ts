import { isOutrun } from "../../../domain/message-options.ts";
import type { Claim, ClaimedTarget, ClaimRequest, ClaimResult, Holder } from "../../store.ts";
import type { Context } from "./context.ts";
import { behindMessage, messageColumns, readStoredMessage } from "../rows/message-columns.ts";
import type { Values } from "../rows/rows.ts";

/** How soon to ask again when something that lasts only a moment prevents a claim. */
const askAgainMs = 20;

export function claimDue(context: Context) {
  const { db, clock, claims, tests, rates } = context;
  const selectTarget = db.prepare(
    `SELECT paused OR a.suspension_time IS NOT NULL AS closed, revision, max_concurrency, rate_limit
     FROM targets t JOIN accounts a USING (account_key)
     WHERE target_key = ? AND t.removal_time IS NULL AND a.removal_time IS NULL`,
  );
  // Reads only the index. Messages in flight still stand at its head, up to the concurrency.
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

  /** Undefined: its `notAfter` has come, and `endOutrun` will end it. */
  function claimOne(
    epoch: number,
    messageKey: number,
    dueAt: number,
    now: number,
  ): Claim | undefined {
    const row = selectMessage.get(messageKey) as unknown as Values;
    const stored = readStoredMessage(row);
    if (isOutrun(stored.message.options, dueAt, now)) return undefined;
    claims.take({ ...stored, epoch, waitingChanges: new Set() });
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
      payload: row[behindMessage] as string,
      options: message.options,
    };
  }

  return (holder: Holder, requests: readonly ClaimRequest[]): ClaimResult => {
    const now = clock.now();
    const claimed: Claim[] = [];
    const targets: ClaimedTarget[] = [];
    for (const { targetKey, limit } of requests) {
      const target = selectTarget.get(targetKey);
      if (target === undefined) continue;
      const isClosed = target["closed"] === 1;
      const rate = rates.of(targetKey, target["rate_limit"] as string | null, now);
      const held = claims.countOf(targetKey);
      const testing = tests.countOf(targetKey);
      // The engine keeps to the concurrency by itself, but does not know about tests.
      const free = testing === 0 ? limit : (target["max_concurrency"] as number) - held - testing;
      const most = Math.max(0, Math.min(limit, free, rate.allowance));
      let room = most;
      let nextDueAt: number | null = null;
      let anyOutrun = false;
      const waiting = isClosed ? [] : selectWaiting.all(targetKey, held + room + 1);
      for (const [messageKey, dueAt] of waiting as unknown as [number, number][]) {
        if (claims.get(messageKey) !== undefined) continue;
        if (dueAt > now || room === 0) {
          nextDueAt = dueAt;
          break;
        }
        const claim = claimOne(holder.epoch, messageKey, dueAt, now);
        if (claim === undefined) {
          anyOutrun = true;
        } else {
          claimed.push(claim);
          room--;
        }
      }
      rate.spend(most - room);
      // A limit matters only when it is reached. With room to spare it delays nothing.
      const isHeldUp = nextDueAt !== null && nextDueAt <= now && room === 0 && most < limit;
      const revision = target["revision"] as number;
      // Others may wait behind those that are about to end.
      if (anyOutrun && nextDueAt === null) {
        targets.push({ targetKey, revision, nextDueAt: now, closedMs: askAgainMs });
        continue;
      }
      const closedMs = isHeldUp ? rate.closedMs() || askAgainMs : 0;
      targets.push({ targetKey, revision, nextDueAt, closedMs });
    }
    return { now, claims: claimed, targets };
  };
}
