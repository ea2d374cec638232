import type { FastifyReply } from "fastify";
import type { Account } from "../../domain/account.ts";
import type { RateLimit } from "../../domain/rate-limit.ts";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import type { RequestTake, RequestTaken } from "../../operations/operations.ts";
import type { Clock } from "../../platform/clock.ts";
import { addRateLimit } from "./rate-limit-headers.ts";

/** Undefined if the request may go on. */
type Verdict = RequestRefused | undefined;

export type LimitRequests = (account: Account, reply: FastifyReply) => Verdict | Promise<Verdict>;

export interface LimitRequestsOptions {
  readonly takeRequests: (takes: readonly RequestTake[]) => Promise<RequestTaken[]>;
  readonly clock: Pick<Clock, "monotonic">;
  /** Called for every request that is refused. */
  readonly onLimited: () => void;
  /** For how many accounts to remember that they have used up their limit. */
  readonly capacity?: number;
}

interface Closed {
  readonly limit: RateLimit;
  /** By the monotonic clock. */
  readonly until: number;
}

/**
 * Counts each request against the limit of its account. The store decides, for all nodes together. When it
 * answers that an account has nothing left until some time, this process does not ask again before then.
 * A caller that keeps sending costs no store call.
 */
export function createRequestLimiter({
  takeRequests,
  clock,
  onLimited,
  capacity = 10_000,
}: LimitRequestsOptions): LimitRequests {
  const closed = new Map<string, Closed>();

  const close = (accountId: string, state: Closed): void => {
    closed.delete(accountId);
    if (closed.size >= capacity) closed.delete(closed.keys().next().value ?? "");
    closed.set(accountId, state);
  };

  const refuse = (reply: FastifyReply, limit: RateLimit, opensInMs: number): RequestRefused => {
    onLimited();
    const seconds = wholeSeconds(opensInMs);
    tell(reply, limit, 0, opensInMs);
    void reply.header("retry-after", String(seconds));
    return new RequestRefused({
      code: codes.tooManyRequests,
      message: `The account has reached its limit of ${limit.max} requests in ${limit.intervalMs / 1_000} s. Wait ${seconds} s (Retry-After), or send many messages in one batch.`,
    });
  };

  const ask = async (
    accountId: string,
    limit: RateLimit,
    reply: FastifyReply,
  ): Promise<Verdict> => {
    // Measured before the call, so that the account opens too early rather than too late.
    const askedAt = clock.monotonic();
    const [taken] = await takeRequests([{ accountId, limit }]);
    if (taken === undefined) throw new Error("the store did not say whether a request is allowed");
    if (taken.opensInMs > 0) close(accountId, { limit, until: askedAt + taken.opensInMs });
    if (!taken.allowed) return refuse(reply, limit, taken.opensInMs);
    tell(reply, limit, taken.remaining, taken.fullInMs);
    return undefined;
  };

  return ({ accountId, requestLimit: limit }, reply) => {
    if (limit === null) return undefined;
    const known = closed.get(accountId);
    if (known === undefined) return ask(accountId, limit, reply);
    const opensInMs = known.until - clock.monotonic();
    if (opensInMs > 0 && isSame(known.limit, limit)) return refuse(reply, limit, opensInMs);
    closed.delete(accountId);
    return ask(accountId, limit, reply);
  };
}

/** If the limit was changed, what is remembered no longer holds and the store decides. */
function isSame(one: RateLimit, other: RateLimit): boolean {
  return one.max === other.max && one.intervalMs === other.intervalMs;
}

function tell(reply: FastifyReply, limit: RateLimit, remaining: number, resetMs: number): void {
  addRateLimit(reply, {
    policy: "requests",
    quota: limit.max,
    windowSeconds: wholeSeconds(limit.intervalMs),
    remaining,
    resetSeconds: wholeSeconds(resetMs),
  });
}

function wholeSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000));
}
