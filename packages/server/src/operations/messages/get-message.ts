import type { Caller } from "../../domain/access.ts";
import type { Message } from "../../domain/message.ts";
import type { Store } from "../../storage/store.ts";
import { messageRef } from "./message-ref.ts";

export async function getMessage(
  { store }: { readonly store: Pick<Store, "getMessage"> },
  caller: Caller,
  messageId: string,
): Promise<Message | undefined> {
  const ref = messageRef(caller, messageId);
  return ref === undefined ? undefined : store.getMessage(ref);
}
