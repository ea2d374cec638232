import type { FastifyReply } from "fastify";

/** One quota and what is left of it, in the words of draft-ietf-httpapi-ratelimit-headers. */
export interface RateLimitStatus {
  readonly policy: string;
  readonly quota: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** Adds a quota to the answer. An answer may have several: both headers are lists. */
export function addRateLimit(reply: FastifyReply, status: RateLimitStatus): void {
  const { policy, quota, windowSeconds, remaining, resetSeconds } = status;
  append(reply, "ratelimit-policy", `"${policy}";q=${quota};w=${windowSeconds}`);
  append(reply, "ratelimit", `"${policy}";r=${remaining};t=${resetSeconds}`);
}

function append(reply: FastifyReply, header: string, member: string): void {
  const before = reply.getHeader(header);
  void reply.header(header, before === undefined ? member : `${String(before)}, ${member}`);
}
