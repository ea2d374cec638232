import type { Instant } from "./instant.ts";

/**
 * All outcomes of an attempt, by their stored names. Stores keep the position in this list: append
 * only. The service itself reports DELIVERED and INTERRUPTED. The target kinds report the others, and
 * say what each means and what follows from it.
 */
export const attemptOutcomes = [
  "DELIVERED",
  "BAD_STATUS",
  "TIMEOUT",
  "CONNECTION_FAILED",
  "DNS_FAILED",
  "TLS_FAILED",
  "ADDRESS_REFUSED",
  "MISCONFIGURED",
  /** The server stopped while it waited for the answer. */
  "INTERRUPTED",
] as const;

/** How an attempt ended. Every outcome except DELIVERED is a failure. */
export type AttemptOutcome = (typeof attemptOutcomes)[number];

/** The failures that a target kind can report. */
export type FailureOutcome = Exclude<AttemptOutcome, "DELIVERED" | "INTERRUPTED">;

/**
 * What follows from a failure, as the target kind classifies it.
 *
 * - `retryable`: another attempt may succeed.
 * - `permanent`: every further attempt would fail in the same way.
 * - `finalStatuses`: permanent with one of these statuses, or one that the target's policy calls final;
 *   retryable with any other.
 */
export type FailureClass =
  | "retryable"
  | "permanent"
  | { readonly finalStatuses: readonly number[] };

/** How a target kind classifies the failures that it reports. */
export type FailureClasses = Readonly<Partial<Record<FailureOutcome, FailureClass>>>;

/** One attempt as it is stored. */
export interface Attempt {
  readonly number: number;
  readonly startTime: Instant;
  readonly endTime: Instant;
  readonly outcome: AttemptOutcome;
  readonly statusCode: number | null;
  readonly error: string | null;
  /** The beginning of the target's answer, shown only with `scheduler.all.*`. */
  readonly response: string | null;
}

/**
 * How many attempts at a message stay on record, the latest. Each reschedule allows another round of
 * attempts, so their number has no bound.
 */
export const mostAttemptsKept = 1_000;

/** Older attempts leave the record so many at a time: most attempts need not look for them. */
const forgottenAtOnce = 100;

/**
 * The number of the latest attempt that leaves the record when this one joins it. Undefined: none does. Until
 * then a few more than `mostAttemptsKept` are stored, and nobody sees them.
 */
export function forgottenUpTo(number: number): number | undefined {
  return number > mostAttemptsKept && number % forgottenAtOnce === 0
    ? number - mostAttemptsKept
    : undefined;
}

/** What a target kind reports about one attempt, before anything is decided. */
export interface AttemptReport {
  readonly outcome: AttemptOutcome;
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly response: string | null;
  /** The wait that the target asked for in `Retry-After`, if its status makes that meaningful. */
  readonly retryAfterMs: number | null;
}
