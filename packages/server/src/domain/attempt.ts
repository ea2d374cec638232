import type { Instant } from "./message.ts";

/** How an attempt ended. Everything but DELIVERED is a failure. */
export type AttemptOutcome =
  | "DELIVERED"
  | "BAD_STATUS"
  | "TIMEOUT"
  | "CONNECTION_FAILED"
  | "DNS_FAILED"
  | "TLS_FAILED"
  | "ADDRESS_REFUSED"
  | "MISCONFIGURED"
  /** The server stopped while it waited for the answer. */
  | "INTERRUPTED";

/** Stores keep the position: append only. */
export const attemptOutcomes: readonly AttemptOutcome[] = [
  "DELIVERED",
  "BAD_STATUS",
  "TIMEOUT",
  "CONNECTION_FAILED",
  "DNS_FAILED",
  "TLS_FAILED",
  "ADDRESS_REFUSED",
  "MISCONFIGURED",
  "INTERRUPTED",
];

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

/** What a target kind reports about one attempt, before anything is decided. */
export interface AttemptReport {
  readonly outcome: AttemptOutcome;
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly response: string | null;
  /** The wait that the target asked for in `Retry-After`, if its status makes that meaningful. */
  readonly retryAfterMs: number | null;
}
