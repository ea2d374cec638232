import type { Caller } from "../../domain/access.ts";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import { sessionLifetimeMs } from "../../domain/session.ts";
import type { Session } from "../../domain/session.ts";
import type { Random } from "../../platform/random.ts";
import type { Store } from "../../storage/store.ts";
import { auditNote } from "../audit/audit-note.ts";
import { hashKey } from "./create-key.ts";
import type { KeyMarks } from "./key-marks.ts";
import { generateSessionId } from "./session-id.ts";

export interface CreateSessionOptions {
  readonly store: Pick<Store, "createSession">;
  readonly random: Random;
  readonly keyMarks: Pick<KeyMarks, "of">;
  readonly credentialsChanged: (accountId: string) => Promise<void>;
}

export interface CreatedSession extends Session {
  /** Known to the browser alone. The store keeps only its hash. */
  readonly sessionId: string;
}

/** `key` is the key of the caller. Every session has a new id: nobody can choose one for somebody else. */
export async function createSession(
  { store, random, keyMarks, credentialsChanged }: CreateSessionOptions,
  caller: Caller,
  key: string,
): Promise<CreatedSession> {
  const { accountId, actor } = caller;
  const sessionId = generateSessionId(random, keyMarks);
  const created = await store.createSession(
    { accountId, keyHash: hashKey(key), hash: hashKey(sessionId), lifetimeMs: sessionLifetimeMs },
    auditNote(random, caller, { action: "session.created", accountId, subjectId: actor.id }),
  );
  if (created === undefined) {
    throw new RequestRefused({
      code: codes.notAuthenticated,
      message: "The key was revoked while it signed in. Sign in with another one.",
    });
  }
  if (created.displaced) await credentialsChanged(accountId);
  return { ...created.session, sessionId };
}
