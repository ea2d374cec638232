import type { Caller } from "../../domain/access.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import type { Session } from "../../domain/session.ts";
import type { Random } from "../../platform/random.ts";
import type { Store } from "../../storage/store.ts";
import { auditNote } from "../audit/audit-note.ts";
import { hashKey } from "./create-key.ts";
import { sessionEnded } from "./get-session.ts";

export interface EndSessionOptions {
  readonly store: Pick<Store, "endSession">;
  readonly random: Random;
  /** Resolves when no node accepts the session any more. */
  readonly credentialsChanged: (accountId: string) => Promise<void>;
}

/** Returns the session as it was. */
export async function endSession(
  { store, random, credentialsChanged }: EndSessionOptions,
  caller: Caller,
  sessionId: string,
): Promise<Session> {
  const { accountId, actor } = caller;
  const note = auditNote(random, caller, {
    action: "session.ended",
    accountId,
    subjectId: actor.id,
  });
  const ended = await store.endSession(accountId, hashKey(sessionId), note);
  await credentialsChanged(accountId);
  if (ended === undefined) throw new RequestRefused(sessionEnded);
  return ended;
}
