import type { FastifyReply } from "fastify";

/** A signal that aborts when the caller no longer waits: the answer is sent, or the connection is gone. */
export function hangUpOf({ raw }: FastifyReply): AbortSignal {
  const hungUp = new AbortController();
  if (raw.destroyed) hungUp.abort();
  else raw.once("close", () => hungUp.abort());
  return hungUp.signal;
}
