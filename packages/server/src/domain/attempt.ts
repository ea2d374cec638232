import type { Instant } from "./message.ts";

/**
 * Every way in which an attempt can end, by its name on record. Stores keep the position: append only.
 * DELIVERED and INTERRUPTED are the service's own. What each of the others means, and what follows from
 * it, the target kinds say that report it.
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

/** How an attempt ended. Everything but DELIVERED is a failure. */
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

/** One attempt as it stays on record. */
export interface Attempt {
  readonly number: number;
  readonly startTime: Instant;
  readonly endTime: Instant;
  readonly outcome: AttemptOutcome;
  readonly statusCode: number | null;
  readonly error: string | null;
  /** The first piece of what the target answered, for `scheduler.all.*` alone. */
  readonly response: string | null;
}

/** What a target kind reports back from one attempt, before anything is decided. */
export interface AttemptReport {
  readonly outcome: AttemptOutcome;
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly response: string | null;
  /** What the target asked for by `Retry-After`, where its status makes that meaningful. */
  readonly retryAfterMs: number | null;
}
