import type { AttemptReport } from "../attempt.ts";
import { backoffDelayMs } from "../retry-policy.ts";
import type { Backoff } from "../retry-policy.ts";
import type { Bookmark } from "./bookmark.ts";
import type { BatchOutcome } from "./event-endpoint.ts";
import type { EventPosition } from "./event.ts";

/** Requests to a webhook are retried for as long as its events stay in the log, so the delays end in one that goes on. */
const backoff: Backoff = {
  kind: "exponential",
  initialMs: 1_000,
  factor: 2,
  maxMs: 5 * 60_000,
  jitter: 0.2,
};
/** What a receiver may ask for in `Retry-After`. */
const mostRetryAfterMs = 15 * 60_000;
/** The receiver does not want events any more. */
const goneStatus = 410;

export interface Requested {
  /** The last event in the request. */
  readonly batchEnd: EventPosition;
  /** Everything up to here is done with if the request succeeds. */
  readonly place: Bookmark;
  /** Requests that have failed since the last that succeeded, without this one. */
  readonly failures: number;
}

/** What follows from a request to a webhook. `random` is in [0, 1). */
export function batchOutcome(
  { outcome, statusCode, error, retryAfterMs }: AttemptReport,
  { batchEnd, place, failures }: Requested,
  random: number,
): BatchOutcome {
  if (outcome === "DELIVERED") return { ...place, kind: "delivered", sent: true };
  if (statusCode === goneStatus) return { kind: "gone", batchEnd, statusCode };
  const backoffMs = backoffDelayMs(backoff, failures + 1, random);
  const askedMs = Math.min(retryAfterMs ?? 0, mostRetryAfterMs);
  const delayMs = Math.max(backoffMs, askedMs);
  return { kind: "failed", batchEnd, error: error ?? outcome, delayMs };
}
