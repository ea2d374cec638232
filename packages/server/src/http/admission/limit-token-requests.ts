import type { FastifyReply, onRequestHookHandler } from "fastify";
import { rateAllowance, rateOpensAt, spendRate } from "../../domain/rate-limit.ts";
import type { FullAt, RateLimit } from "../../domain/rate-limit.ts";
import type { Clock } from "../../platform/clock.ts";
import { addressBlock } from "./address-block.ts";
import { addRateLimit } from "./rate-limit-headers.ts";

export interface LimitTokenRequestsOptions {
  readonly limit: RateLimit;
  readonly clock: Pick<Clock, "monotonic">;
  /** Told of every request that is refused. */
  readonly onLimited?: (() => void) | undefined;
  /** How many addresses to remember. */
  readonly capacity?: number;
}

/**
 * So many requests from one address, in this process: whoever guesses secrets has no account that
 * could be limited. An address that is forgotten, because so many others came since, begins afresh.
 */
export function limitTokenRequests({
  limit,
  clock,
  onLimited,
  capacity = 10_000,
}: LimitTokenRequestsOptions): onRequestHookHandler {
  // In the order in which they came last.
  const buckets = new Map<string, FullAt>();

  return (request, reply, done) => {
    const address = addressBlock(request.ip);
    const now = clock.monotonic();
    const before = buckets.get(address) ?? now;
    const remaining = rateAllowance(limit, before, now);
    buckets.delete(address);
    if (remaining === 0) {
      buckets.set(address, before);
      onLimited?.();
      return refuse(reply, limit, rateOpensAt(limit, before, now) - now);
    }
    if (buckets.size >= capacity) buckets.delete(buckets.keys().next().value ?? "");
    const fullAt = spendRate(limit, before, now, 1);
    buckets.set(address, fullAt);
    tell(reply, limit, remaining - 1, fullAt - now);
    return done();
  };
}

/** OAuth has an error format of its own, and the endpoint's clients know no other. */
function refuse(reply: FastifyReply, limit: RateLimit, opensInMs: number): void {
  const seconds = Math.max(1, Math.ceil(opensInMs / 1_000));
  tell(reply, limit, 0, opensInMs);
  void reply
    .code(429)
    .header("retry-after", String(seconds))
    .type("application/json; charset=utf-8")
    .send({
      error: "temporarily_unavailable",
      error_description: `Too many requests from this address. Wait ${seconds} s, and keep a token for as long as it is valid.`,
    });
}

function tell(reply: FastifyReply, limit: RateLimit, remaining: number, resetMs: number): void {
  addRateLimit(reply, {
    policy: "token-requests",
    quota: limit.max,
    windowSeconds: Math.ceil(limit.intervalMs / 1_000),
    remaining,
    resetSeconds: Math.max(1, Math.ceil(resetMs / 1_000)),
  });
}
