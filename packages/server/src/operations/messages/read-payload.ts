import type { Caller } from "../../domain/access.ts";
import type { Store } from "../../storage/store.ts";
import { messageRef } from "./message-ref.ts";

/** The payload as it was scheduled. Undefined if there is no such message. */
export async function readPayload(
  { store }: { readonly store: Pick<Store, "getPayload"> },
  caller: Caller,
  messageId: string,
): Promise<string | undefined> {
  const ref = messageRef(caller, messageId);
  return ref === undefined ? undefined : store.getPayload(ref);
}
