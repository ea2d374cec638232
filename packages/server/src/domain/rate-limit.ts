import type { Instant } from "./message.ts";

/**
 * A bucket of `max` attempts that refills evenly over `intervalMs`. A burst of `max` may start at once,
 * after that one every `intervalMs / max`.
 */
export interface RateLimit {
  readonly max: number;
  readonly intervalMs: number;
}

/**
 * The whole state of the bucket is one instant (GCRA): when it will be full again. An instant in the
 * past means that it is full now.
 */
export type FullAt = Instant;

/**
 * A bucket cannot be emptier than empty. A later instant was written under another limit, or before the
 * clock was set back. It must not keep the target closed for longer than its own interval.
 */
function bounded(limit: RateLimit, fullAt: FullAt, now: Instant): FullAt {
  return Math.min(Math.max(fullAt, now), now + limit.intervalMs);
}

/** How many attempts may start now. */
export function rateAllowance(limit: RateLimit, fullAt: FullAt, now: Instant): number {
  const spacingMs = limit.intervalMs / limit.max;
  const missing = (bounded(limit, fullAt, now) - now) / spacingMs;
  // The tolerance absorbs floating-point error, which would otherwise cost a whole attempt.
  return Math.max(0, Math.floor(limit.max - missing + 1e-6));
}

export function spendRate(limit: RateLimit, fullAt: FullAt, now: Instant, count: number): FullAt {
  return bounded(limit, fullAt, now) + (count * limit.intervalMs) / limit.max;
}

/** The first instant at which so many attempts may start; at most `max`. */
export function rateOpensAt(limit: RateLimit, fullAt: FullAt, now: Instant, count = 1): Instant {
  const { max, intervalMs } = limit;
  return Math.ceil(bounded(limit, fullAt, now) - intervalMs + (count * intervalMs) / max);
}
