import { attemptOutcomes } from "../../../domain/attempt.ts";
import type { TrackedMessage } from "../../../domain/message.ts";
import type { NextStep } from "../../../domain/retry-policy.ts";
import { attempted } from "../../../domain/transitions.ts";
import { parseMessageId } from "../../../platform/message-ids.ts";
import type { AttemptResult, Holder, RecordResult } from "../../store.ts";
import type { Context } from "../context.ts";
import type { HeldClaim } from "../claim-book.ts";

/** A failure while a cancel or reschedule waits: it counts, and the waiting call says what comes next. */
const undecided: NextStep = { kind: "retry", delayMs: 0 };

export function recordAttempts(context: Context) {
  const { db, clock, claims, messages, retentionMs } = context;
  const insertAttempt = db.prepare(
    `INSERT INTO attempts (message_key, number, start_time, end_time, outcome, status_code, error,
       response)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );

  function recordOne(holder: Holder, result: AttemptResult): RecordResult {
    const claim = heldClaim(context, holder, result.messageId);
    if (claim?.message.version !== result.version) return { kind: "stale" };
    const { attempt } = result;
    const overruled = result.next.kind !== "delivered" && claim.waiters.size > 0;
    const next = overruled ? undecided : result.next;
    const after = attempted(
      claim.message,
      { startTime: attempt.startTime, next },
      clock.now(),
      retentionMs,
    );
    if (after === undefined) return { kind: "stale" };
    insertAttempt.run(
      claim.messageKey,
      attempt.number,
      attempt.startTime,
      attempt.endTime,
      attemptOutcomes.indexOf(attempt.outcome),
      attempt.statusCode,
      attempt.error,
      attempt.response,
    );
    const message = applyWaiting(context, claim, after);
    messages.update(claim, message);
    claims.end(claim);
    return { kind: "recorded", message };
  }

  return (holder: Holder, results: readonly AttemptResult[]): RecordResult[] =>
    results.map((result) => recordOne(holder, result));
}

export function releaseClaims(context: Context) {
  const { claims, messages } = context;
  return (holder: Holder, messageIds: readonly string[]): void => {
    for (const messageId of messageIds) {
      const claim = heldClaim(context, holder, messageId);
      if (claim === undefined) continue;
      const message = applyWaiting(context, claim, claim.message);
      if (message !== claim.message) messages.update(claim, message);
      claims.end(claim);
    }
  };
}

function heldClaim({ claims }: Context, holder: Holder, messageId: string): HeldClaim | undefined {
  const parts = parseMessageId(messageId);
  const claim = parts && claims.get(parts.sequence);
  return claim?.epoch === holder.epoch ? claim : undefined;
}

/** The calls that waited for the outcome have their say, in the order in which they came. */
function applyWaiting(
  { transaction }: Context,
  claim: HeldClaim,
  message: TrackedMessage,
): TrackedMessage {
  let current = message;
  for (const waiter of claim.waiters) {
    const changed = waiter.change(current);
    const result =
      changed === undefined
        ? ({ kind: "refused", message: current } as const)
        : ({ kind: "changed", message: changed, targetKey: claim.targetKey } as const);
    current = changed ?? current;
    transaction.afterCommit(() => waiter.settle(result));
  }
  return current;
}
