import type { AttemptOutcome } from "../../../src/domain/attempt.ts";
import type { DeadLetterReason } from "../../../src/domain/end-reason.ts";
import type { Instant } from "../../../src/domain/message.ts";
import { decideNextStep } from "../../../src/domain/retry-policy.ts";
import type { RetryPolicy } from "../../../src/domain/retry-policy.ts";
import { webhookFailures } from "../../../src/targets/webhook/webhook-outcomes.ts";
import type { Leniency } from "./leniency.ts";
import type { PossibleMessage, Span } from "./possible-message.ts";

export interface MadeAttempt {
  /** Exact if it is on record. */
  readonly startTime: Span;
  /** The outcome was not written before this instant. */
  readonly endedFrom: Instant;
  readonly outcome: AttemptOutcome;
  readonly statusCode: number | null;
  /** What the target received. Null if that is not known. */
  readonly payload: string | null;
  /** Null if it is not known what a failure leads to. */
  readonly policy: RetryPolicy | null;
}

/**
 * The states a message may have once the outcome of an attempt is on record. With `mayBeEarly`, it does not
 * matter whether the message was due, and with `mayBeLate`, whether its `notAfter` had come.
 */
export function attempted(
  message: PossibleMessage,
  attempt: MadeAttempt,
  clockUncertaintyMs: number,
  { mayBeEarly = false, mayBeLate = false }: Leniency,
): PossibleMessage[] {
  const { startTime, endedFrom, outcome } = attempt;
  const { next, isOverruled, content } = message;
  if (next === null || isOverruled) return [];
  if (content !== null && (attempt.payload ?? content.payload) !== content.payload) return [];
  const wasDue =
    startTime.max >= next.min && startTime.max + clockUncertaintyMs >= message.since.min;
  if (!wasDue && !mayBeEarly) return [];
  const lastChance = message.notAfter?.max ?? Infinity;
  if (startTime.min >= lastChance && !mayBeLate) return [];
  const since = { min: Math.max(message.since.min, endedFrom), max: Infinity };
  const counted = { ...message, last: startTime, round: message.round + 1, since, before: null };
  if (outcome === "DELIVERED") return [{ ...counted, state: "DELIVERED", next: null }];
  const failed = { ...counted, failures: message.failures + 1 };
  const dead = (reason: DeadLetterReason | null): PossibleMessage => ({
    ...failed,
    state: "DEAD_LETTER",
    reason,
    next: null,
  });
  const againAfter = (delayMs: number): PossibleMessage => ({
    ...failed,
    next: { min: since.min + delayMs, max: Infinity },
  });
  return [...followUps(), { ...againAfter(0), isOverruled: true }];

  /** A retry that would come too late is none. */
  function retried(shortestMs: number, longestMs: number): PossibleMessage[] {
    const { notAfter } = message;
    if (notAfter === null) return [againAfter(shortestMs)];
    const endedFrom = Math.max(since.min, notAfter.min - longestMs);
    const tooLate = { ...dead("NOT_AFTER"), since: { min: endedFrom, max: Infinity } };
    const again = againAfter(shortestMs);
    return again.next!.min < lastChance ? [again, tooLate] : [tooLate];
  }

  function followUps(): PossibleMessage[] {
    const { statusCode } = attempt;
    const policy = attempt.policy && (message.content?.retryPolicy ?? attempt.policy);
    if (policy === null) return [...retried(0, Infinity), dead(null)];
    const report = { outcome, statusCode, error: null, response: null, retryAfterMs: null };
    const attemptsThisRound = failed.round;
    const failures = webhookFailures;
    const decided = { report, failures, policy, attemptsThisRound };
    const step = decideNextStep({ ...decided, random: 0 });
    if (step.kind !== "retry") return [dead(step.kind === "dead-letter" ? step.reason : null)];
    // The delay that the target asked for is not on record.
    const longest = decideNextStep({ ...decided, random: 1 });
    const backoffMs = longest.kind === "retry" ? longest.delayMs : 0;
    return retried(step.delayMs, Math.max(backoffMs, policy.maxRetryAfterMs));
  }
}
