import { rateAllowance, rateOpensAt } from "../domain/rate-limit.ts";
import type { FullAt, RateLimit } from "../domain/rate-limit.ts";
import type { Instant } from "../domain/message.ts";
import type { RequestTaken } from "./account-store.ts";

/** The answer to one request, computed from the bucket after it. */
export function requestTaken(
  allowed: boolean,
  limit: RateLimit,
  fullAt: FullAt,
  now: Instant,
): RequestTaken {
  const remaining = rateAllowance(limit, fullAt, now);
  const opensInMs = remaining > 0 ? 0 : Math.max(1, rateOpensAt(limit, fullAt, now) - now);
  const fullInMs = Math.min(Math.max(0, Math.ceil(fullAt - now)), limit.intervalMs);
  return { allowed, remaining, opensInMs, fullInMs };
}
