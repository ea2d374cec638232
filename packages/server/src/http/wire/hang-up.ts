import type { FastifyReply } from "fastify";
import { whenSent } from "./sent-answers.ts";

/** A signal that aborts when the caller no longer waits: the answer is sent, or the connection is gone. */
export function hangUpOf({ raw, request }: FastifyReply): AbortSignal {
  const hungUp = new AbortController();
  whenSent(request.raw.socket, raw, () => hungUp.abort());
  return hungUp.signal;
}
