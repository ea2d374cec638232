import type { FastifyReply } from "fastify";

/** One quota and what is left of it, as draft-ietf-httpapi-ratelimit-headers words them. */
export interface RateLimitStatus {
  readonly policy: string;
  readonly quota: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** An answer may tell of several quotas: each is one more member of the same two lists. */
export function addRateLimit(reply: FastifyReply, status: RateLimitStatus): void {
  const { policy, quota, windowSeconds, remaining, resetSeconds } = status;
  append(reply, "ratelimit-policy", `"${policy}";q=${quota};w=${windowSeconds}`);
  append(reply, "ratelimit", `"${policy}";r=${remaining};t=${resetSeconds}`);
}

function append(reply: FastifyReply, header: string, member: string): void {
  const before = reply.getHeader(header);
  void reply.header(header, before === undefined ? member : `${String(before)}, ${member}`);
}
