import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import { defaultRetryPolicy } from "../../domain/retry-policy.ts";
import type { Backoff, RetryPolicy } from "../../domain/retry-policy.ts";

/** A retry policy as the caller gives it. Any part may be missing. */
export interface GivenRetryPolicy {
  readonly maxAttempts?: number | undefined;
  readonly backoff?: GivenBackoff | undefined;
  readonly finalStatuses?: readonly number[] | undefined;
  readonly maxRetryAfterMs?: number | undefined;
}

type GivenBackoff =
  | {
      readonly kind: "exponential";
      readonly initialMs?: number | undefined;
      readonly factor?: number | undefined;
      readonly maxMs?: number | undefined;
      readonly jitter?: number | undefined;
    }
  | {
      readonly kind: "list";
      readonly delaysMs: readonly number[];
      readonly jitter?: number | undefined;
    };

const exponentialDefaults = {
  initialMs: 5_000,
  factor: 2,
  maxMs: 12 * 3_600_000,
  jitter: 0.1,
  maxAttempts: 10,
};

export function completeRetryPolicy(given: GivenRetryPolicy | null | undefined): RetryPolicy {
  if (given === null || given === undefined) return defaultRetryPolicy;
  const backoff =
    given.backoff === undefined ? defaultRetryPolicy.backoff : complete(given.backoff);
  return {
    maxAttempts: given.maxAttempts ?? attemptsFor(backoff),
    backoff,
    finalStatuses: given.finalStatuses ?? defaultRetryPolicy.finalStatuses,
    maxRetryAfterMs: given.maxRetryAfterMs ?? defaultRetryPolicy.maxRetryAfterMs,
  };
}

export function retryPolicyProblem(policy: RetryPolicy): Problem | undefined {
  const { backoff } = policy;
  if (backoff.kind === "list" || backoff.initialMs <= backoff.maxMs) return undefined;
  return {
    code: codes.invalidRequest,
    message: `retryPolicy.backoff.maxMs must not be less than initialMs, which is ${backoff.initialMs}.`,
    field: "retryPolicy.backoff.maxMs",
  };
}

function attemptsFor(backoff: Backoff): number {
  // One attempt comes before the first delay, and one after each delay. A policy's maximum still applies.
  return backoff.kind === "list"
    ? Math.min(backoff.delaysMs.length + 1, 100)
    : exponentialDefaults.maxAttempts;
}

function complete(given: GivenBackoff): Backoff {
  if (given.kind === "list") {
    return { kind: "list", delaysMs: given.delaysMs, jitter: given.jitter ?? 0 };
  }
  const initialMs = given.initialMs ?? exponentialDefaults.initialMs;
  return {
    kind: "exponential",
    initialMs,
    factor: given.factor ?? exponentialDefaults.factor,
    maxMs: given.maxMs ?? Math.max(exponentialDefaults.maxMs, initialMs),
    jitter: given.jitter ?? exponentialDefaults.jitter,
  };
}
