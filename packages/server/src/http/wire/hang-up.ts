import type { FastifyReply } from "fastify";
import type { MessageDraft } from "../../operations/messages/message-draft.ts";

/** A signal that aborts when the caller no longer waits: the answer is sent, or the connection is gone. */
export function hangUpOf({ raw }: FastifyReply): AbortSignal {
  const hungUp = new AbortController();
  if (raw.destroyed) hungUp.abort();
  else raw.once("close", () => hungUp.abort());
  return hungUp.signal;
}

/** The same for a call that schedules messages. Undefined if none has a key, because it never waits then. */
export function hangUpOfKeyed(
  drafts: readonly MessageDraft[],
  reply: FastifyReply,
): AbortSignal | undefined {
  return drafts.some(({ options }) => options?.key !== undefined) ? hangUpOf(reply) : undefined;
}
