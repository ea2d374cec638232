import type { Caller } from "../../domain/access.ts";
import { parseMessageId } from "../../platform/message-ids.ts";
import type { MessageRef } from "../../storage/store.ts";

/** Undefined for a malformed id: no message has it. */
export function messageRef(caller: Caller, messageId: string): MessageRef | undefined {
  if (parseMessageId(messageId) === undefined) return undefined;
  return { accountId: caller.accountId, messageId };
}
