import type { AttemptReport, FailureClass, FailureClasses } from "./attempt.ts";
import type { DeadLetterReason } from "./end-reason.ts";

export interface ExponentialBackoff {
  readonly kind: "exponential";
  readonly initialMs: number;
  readonly factor: number;
  readonly maxMs: number;
  /** The share of each delay that is random, 0 to 1. */
  readonly jitter: number;
}

export interface ListBackoff {
  readonly kind: "list";
  /** The last delay repeats if there are more attempts than delays. */
  readonly delaysMs: readonly number[];
  readonly jitter: number;
}

export type Backoff = ExponentialBackoff | ListBackoff;

export interface RetryPolicy {
  readonly maxAttempts: number;
  readonly backoff: Backoff;
  /** Statuses after which no further attempt is made, besides those of the target's kind. */
  readonly finalStatuses: readonly number[];
  readonly maxRetryAfterMs: number;
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/**
 * The delays that Standard Webhooks recommends, with jitter so that failed messages do not all return
 * at once.
 */
export const defaultRetryPolicy: RetryPolicy = {
  maxAttempts: 10,
  backoff: {
    kind: "list",
    delaysMs: [
      5 * second,
      5 * minute,
      30 * minute,
      2 * hour,
      5 * hour,
      10 * hour,
      14 * hour,
      20 * hour,
      24 * hour,
    ],
    jitter: 0.1,
  },
  finalStatuses: [],
  maxRetryAfterMs: hour,
};

/** What happens to a message after an attempt. */
export type NextStep =
  | { readonly kind: "delivered" }
  | { readonly kind: "retry"; readonly delayMs: number }
  | { readonly kind: "dead-letter"; readonly reason: DeadLetterReason };

export interface DecideOptions {
  readonly report: AttemptReport;
  /** How the target's kind classifies its failures. One that it does not name is retryable. */
  readonly failures: FailureClasses;
  readonly policy: RetryPolicy;
  /** Attempts of this round, including the one that just ended. */
  readonly attemptsThisRound: number;
  /** A number in [0, 1). */
  readonly random: number;
}

/** The only function that decides what comes after an attempt. */
export function decideNextStep({
  report,
  failures,
  policy,
  attemptsThisRound,
  random,
}: DecideOptions): NextStep {
  if (report.outcome === "DELIVERED") return { kind: "delivered" };
  // Our own stop says nothing about the target: try again at once, with any budget.
  if (report.outcome === "INTERRUPTED") return { kind: "retry", delayMs: 0 };
  const failure = failures[report.outcome] ?? "retryable";
  if (failure === "permanent") {
    const isAddress = report.outcome === "ADDRESS_REFUSED";
    return { kind: "dead-letter", reason: isAddress ? "ADDRESS_REFUSED" : "REJECTED" };
  }
  if (isFinal(failure, report.statusCode, policy)) {
    return { kind: "dead-letter", reason: "FINAL_ANSWER" };
  }
  if (attemptsThisRound >= policy.maxAttempts) {
    return { kind: "dead-letter", reason: "ATTEMPTS_EXHAUSTED" };
  }
  const backoffMs = backoffDelayMs(policy.backoff, attemptsThisRound, random);
  const askedMs = Math.min(report.retryAfterMs ?? 0, policy.maxRetryAfterMs);
  return { kind: "retry", delayMs: Math.max(backoffMs, askedMs) };
}

function isFinal(
  failure: Exclude<FailureClass, "permanent">,
  statusCode: number | null,
  { finalStatuses }: RetryPolicy,
): boolean {
  if (failure === "retryable" || statusCode === null) return false;
  return failure.finalStatuses.includes(statusCode) || finalStatuses.includes(statusCode);
}

/** The delay before the attempt that follows the given number of failures. */
export function backoffDelayMs(backoff: Backoff, failures: number, random: number): number {
  const plainMs =
    backoff.kind === "list"
      ? (backoff.delaysMs[Math.min(failures, backoff.delaysMs.length) - 1] ?? 0)
      : Math.min(backoff.initialMs * backoff.factor ** (failures - 1), backoff.maxMs);
  const randomMs = plainMs * backoff.jitter;
  return Math.round(plainMs - randomMs + randomMs * random);
}
