import type { FastifyReply } from "fastify";
import type { MessageDraft } from "../../operations/messages/message-draft.ts";
import { whenSent } from "./sent-answers.ts";

/** A signal that aborts when the caller no longer waits: the answer is sent, or the connection is gone. */
export function hangUpOf({ raw, request }: FastifyReply): AbortSignal {
  const hungUp = new AbortController();
  whenSent(request.raw.socket, raw, () => hungUp.abort());
  return hungUp.signal;
}

/** The same for a call that schedules messages. Undefined if none has a key, because it never waits then. */
export function hangUpOfKeyed(
  drafts: readonly MessageDraft[],
  reply: FastifyReply,
): AbortSignal | undefined {
  return drafts.some(({ options }) => options?.key !== undefined) ? hangUpOf(reply) : undefined;
}
