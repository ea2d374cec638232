import type { FastifyReply } from "fastify";

/** Aborts when the connection ends, with the answer or before it: nobody waits any more. */
export function hangUpOf({ raw }: FastifyReply): AbortSignal {
  const hungUp = new AbortController();
  if (raw.destroyed) hungUp.abort();
  else raw.once("close", () => hungUp.abort());
  return hungUp.signal;
}
