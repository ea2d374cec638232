import type { FastifyReply, onRequestHookHandler } from "fastify";
import { rateAllowance, rateOpensAt, spendRate } from "../../domain/rate-limit.ts";
import type { FullAt, RateLimit } from "../../domain/rate-limit.ts";
import type { Clock } from "../../platform/clock.ts";
import { addressBlock } from "./address-block.ts";
import { addRateLimit } from "./rate-limit-headers.ts";

export interface LimitTokenRequestsOptions {
  readonly limit: RateLimit;
  readonly clock: Pick<Clock, "monotonic">;
  /** Called for every request that is refused. */
  readonly onLimited?: (() => void) | undefined;
  /** How many addresses to remember. */
  readonly capacity?: number;
}

/**
 * Limits the requests of each address to this process. A client that guesses secrets has no account whose
 * limit could apply. If too many addresses come, the oldest are forgotten and start with a full limit.
 */
export function limitTokenRequests({
  limit,
  clock,
  onLimited,
  capacity = 10_000,
}: LimitTokenRequestsOptions): onRequestHookHandler {
  // Ordered by the last request, the oldest first.
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

/** OAuth clients know only the error format of OAuth. */
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
