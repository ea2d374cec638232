import { forgottenUpTo } from "../../../domain/attempt.ts";
import { applyWaitingChanges, settleAttempt } from "../../../domain/transitions.ts";
import type { SettledClaim } from "../../../domain/transitions.ts";
import { parseMessageId } from "../../../platform/message-ids.ts";
import { changeResult } from "../../change-result.ts";
import type { AttemptResult, Holder, RecordResult } from "../../store.ts";
import { recordHealth } from "./record-health.ts";
import { attemptValues, deleteAttempts, insertAttempt } from "../rows/attempt-rows.ts";
import type { HeldClaim, WaitingChange } from "../claims/claim-book.ts";
import type { Context } from "./context.ts";

export function recordAttempts(context: Context) {
  const { db, clock, messages, events, retentionMs } = context;
  const noteHealth = recordHealth(context);
  const insert = db.prepare(insertAttempt);
  const forget = db.prepare(deleteAttempts);

  function recordOne(holder: Holder, result: AttemptResult): RecordResult {
    const claim = heldClaim(context, holder, result.messageId);
    if (claim?.message.version !== result.version) return { kind: "stale" };
    const { attempt, next } = result;
    const now = clock.now();
    const settled = settleAttempt(
      claim.message,
      { startTime: attempt.startTime, next },
      [...claim.waitingChanges],
      now,
      retentionMs,
    );
    if (settled === undefined) return { kind: "stale" };
    insert.run(...attemptValues(claim.messageKey, attempt));
    const forgotten = forgottenUpTo(attempt.number);
    if (forgotten !== undefined) forget.run(claim.messageKey, forgotten);
    messages.update(claim, settled.message, { now, attempt, answers: settled.answers });
    if (events.isOn) noteHealth(claim.targetKey, attempt, now);
    endClaim(context, claim, settled);
    return { kind: "recorded", message: settled.message };
  }

  return (holder: Holder, results: readonly AttemptResult[]): RecordResult[] =>
    results.map((result) => recordOne(holder, result));
}

export function releaseClaims(context: Context) {
  const { clock, messages, retentionMs } = context;
  return (holder: Holder, messageIds: readonly string[]): void => {
    for (const messageId of messageIds) {
      const claim = heldClaim(context, holder, messageId);
      if (claim === undefined) continue;
      const { message, waitingChanges } = claim;
      const now = clock.now();
      const settled = applyWaitingChanges(message, [...waitingChanges], now, retentionMs);
      if (settled.message !== message) {
        messages.update(claim, settled.message, { now, answers: settled.answers });
      }
      endClaim(context, claim, settled);
    }
  };
}

function heldClaim({ claims }: Context, holder: Holder, messageId: string): HeldClaim | undefined {
  const parts = parseMessageId(messageId);
  const claim = parts && claims.get(parts.sequence);
  return claim?.epoch === holder.epoch ? claim : undefined;
}

/** The waiting changes are answered after the commit. */
function endClaim(
  { claims, transaction }: Context,
  claim: HeldClaim,
  { answers }: SettledClaim<WaitingChange>,
): void {
  claims.end(claim);
  for (const { change, decision } of answers) {
    const result = changeResult(decision, claim.targetKey);
    transaction.afterCommit(() => change.settle(result));
  }
}
