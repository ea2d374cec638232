import type { FastifyReply, FastifyRequest } from "fastify";
import { rateAllowance, rateOpensAt, spendRate } from "../../domain/rate-limit.ts";
import type { FullAt, RateLimit } from "../../domain/rate-limit.ts";
import type { Clock } from "../../platform/clock.ts";
import { addressBlock } from "./address-block.ts";
import { addRateLimit } from "./rate-limit-headers.ts";

export interface LimitByAddressOptions {
  readonly limit: RateLimit;
  readonly clock: Pick<Clock, "monotonic">;
  /** Called for every request that is refused. */
  readonly onLimited?: (() => void) | undefined;
  /** How many addresses to remember. */
  readonly capacity?: number;
}

/** Returns the seconds to wait, or undefined if the request may go on. Tells the client the limit. */
export type LimitByAddress = (request: FastifyRequest, reply: FastifyReply) => number | undefined;

/**
 * Limits the requests of each address to this process. A client that guesses secrets has no account whose
 * limit could apply. If too many addresses come, the oldest are forgotten and start with a full limit.
 */
export function limitByAddress(
  policy: string,
  { limit, clock, onLimited, capacity = 10_000 }: LimitByAddressOptions,
): LimitByAddress {
  // Ordered by the last request, the oldest first.
  const buckets = new Map<string, FullAt>();

  const tell = (reply: FastifyReply, remaining: number, resetMs: number): void =>
    addRateLimit(reply, {
      policy,
      quota: limit.max,
      windowSeconds: Math.ceil(limit.intervalMs / 1_000),
      remaining,
      resetSeconds: wholeSeconds(resetMs),
    });

  return (request, reply) => {
    const address = addressBlock(request.ip);
    const now = clock.monotonic();
    const before = buckets.get(address) ?? now;
    const remaining = rateAllowance(limit, before, now);
    buckets.delete(address);
    if (remaining === 0) {
      buckets.set(address, before);
      onLimited?.();
      const opensInMs = rateOpensAt(limit, before, now) - now;
      tell(reply, 0, opensInMs);
      const seconds = wholeSeconds(opensInMs);
      void reply.header("retry-after", String(seconds));
      return seconds;
    }
    if (buckets.size >= capacity) buckets.delete(buckets.keys().next().value ?? "");
    const fullAt = spendRate(limit, before, now, 1);
    buckets.set(address, fullAt);
    tell(reply, remaining - 1, fullAt - now);
    return undefined;
  };
}

function wholeSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000));
}
