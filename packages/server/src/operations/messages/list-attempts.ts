import { allows } from "../../domain/access.ts";
import type { Caller } from "../../domain/access.ts";
import type { Attempt } from "../../domain/attempt.ts";
import type { Store } from "../../storage/store.ts";
import { messageRef } from "./message-ref.ts";

/** The response of a target may contain anything, so only callers who may read targets see it. */
export async function listAttempts(
  { store }: { readonly store: Pick<Store, "listAttempts"> },
  caller: Caller,
  messageId: string,
): Promise<readonly Attempt[] | undefined> {
  const ref = messageRef(caller, messageId);
  const attempts = ref === undefined ? undefined : await store.listAttempts(ref);
  if (attempts === undefined || allows(caller.scopes, "readAll")) return attempts;
  return attempts.map((attempt) => ({ ...attempt, response: null }));
}
