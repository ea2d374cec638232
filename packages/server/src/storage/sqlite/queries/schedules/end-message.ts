import type { Instant } from "../../../../domain/message.ts";
import { cancelled } from "../../../../domain/transitions.ts";
import { parseMessageId } from "../../../../platform/message-ids.ts";
import type { Context } from "../context.ts";

/** Takes back the message of a run. Whoever asks knows that no attempt is in flight. */
export function endMessage({ messages, retentionMs }: Context) {
  return (messageId: string, now: Instant, ending: typeof cancelled = cancelled): void => {
    const stored = messages.byKey(parseMessageId(messageId)!.sequence);
    const ended = ending(stored.message, now, retentionMs);
    if (ended === undefined) throw new Error("a message that is taken back must be scheduled");
    messages.update(stored, ended, { now });
  };
}
