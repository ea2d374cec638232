import type { AttemptOutcome } from "../../../src/domain/attempt.ts";
import type { Instant } from "../../../src/domain/message.ts";
import { decideNextStep } from "../../../src/domain/retry-policy.ts";
import type { RetryPolicy } from "../../../src/domain/retry-policy.ts";
import { webhookFailures } from "../../../src/targets/webhook/webhook-outcomes.ts";
import type { PossibleMessage, Span } from "./possible-message.ts";

export interface MadeAttempt {
  /** Exact if it is on record. */
  readonly startTime: Span;
  /** The outcome was not written before this instant. */
  readonly endedFrom: Instant;
  readonly outcome: AttemptOutcome;
  readonly statusCode: number | null;
  /** Null if it is not known what a failure leads to. */
  readonly policy: RetryPolicy | null;
}

/**
 * The states a message may have once the outcome of an attempt is on record. With `mayBeEarly`, it does not
 * matter whether the message was due.
 */
export function attempted(
  message: PossibleMessage,
  attempt: MadeAttempt,
  clockUncertaintyMs: number,
  mayBeEarly: boolean,
): PossibleMessage[] {
  const { startTime, endedFrom, outcome } = attempt;
  const { next, isOverruled } = message;
  if (next === null || isOverruled) return [];
  const wasDue =
    startTime.max >= next.min && startTime.max + clockUncertaintyMs >= message.since.min;
  if (!wasDue && !mayBeEarly) return [];
  const since = { min: Math.max(message.since.min, endedFrom), max: Infinity };
  const counted = { ...message, last: startTime, round: message.round + 1, since, before: null };
  if (outcome === "DELIVERED") return [{ ...counted, state: "DELIVERED", next: null }];
  const failed = { ...counted, failures: message.failures + 1 };
  const dead: PossibleMessage = { ...failed, state: "DEAD_LETTER", next: null };
  const againAfter = (delayMs: number): PossibleMessage => ({
    ...failed,
    next: { min: since.min + delayMs, max: Infinity },
  });
  return [...followUps(), { ...againAfter(0), isOverruled: true }];

  function followUps(): PossibleMessage[] {
    const { policy, statusCode } = attempt;
    if (policy === null) return [againAfter(0), dead];
    const report = { outcome, statusCode, error: null, response: null, retryAfterMs: null };
    // Uses the shortest delay of the policy, because the delay that the target asked for is not on record.
    const attemptsThisRound = failed.round;
    const failures = webhookFailures;
    const step = decideNextStep({ report, failures, policy, attemptsThisRound, random: 0 });
    return step.kind === "retry" ? [againAfter(step.delayMs)] : [dead];
  }
}
