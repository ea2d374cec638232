import { codes, RequestRefused } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { Session } from "../../domain/session.ts";
import type { Store } from "../../storage/store.ts";
import { hashKey } from "./create-key.ts";

/** It ended while this call was under way. */
export const sessionEnded: Problem = {
  code: codes.notAuthenticated,
  message: "The session has ended. Sign in again.",
};

export async function getSession(
  { store }: { readonly store: Pick<Store, "findSession"> },
  sessionId: string,
): Promise<Session> {
  const found = await store.findSession(hashKey(sessionId));
  if (found === undefined) throw new RequestRefused(sessionEnded);
  return found.session;
}
