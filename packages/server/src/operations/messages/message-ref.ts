import type { Caller } from "../../domain/access.ts";
import { parseMessageId } from "../../platform/message-ids.ts";
import type { MessageRef } from "../../storage/store.ts";

/** A text that cannot be a message's id is the id of a message that does not exist. */
export function messageRef(caller: Caller, messageId: string): MessageRef | undefined {
  if (parseMessageId(messageId) === undefined) return undefined;
  return { accountId: caller.accountId, messageId };
}
