import type { AuditNote } from "../../../../src/domain/audit.ts";
import { mostSessionsOfKey } from "../../../../src/domain/session.ts";
import type { Session } from "../../../../src/domain/session.ts";
import type { FoundSession, NewSession } from "../../../../src/storage/store.ts";
import { liveAccount } from "../database-state.ts";
import type { Context } from "../database-state.ts";

export function sessionVerbs({ state }: Context) {
  const { clock, accessKeys, sessions, auditLog } = state;

  /** The oldest comes first. */
  const sessionsOf = ({ accountId, keyId }: Pick<Session, "accountId" | "keyId">): string[] =>
    [...sessions]
      .filter(([, session]) => session.accountId === accountId && session.keyId === keyId)
      .toSorted(([, one], [, other]) => one.creationTime - other.creationTime)
      .map(([hash]) => hash);

  const isLive = ({ expirationTime }: Session): boolean => expirationTime > clock.now();

  return {
    createSession(
      { accountId, keyHash, hash, lifetimeMs }: NewSession,
      note: AuditNote,
    ): { session: Session; displaced: boolean } | undefined {
      const key = accessKeys.get(keyHash);
      if (key?.accountId !== accountId) return undefined;
      if (liveAccount(state, accountId) === undefined) return undefined;
      const displaced = sessionsOf(key).slice(0, 1 - mostSessionsOfKey);
      for (const old of displaced) sessions.delete(old);
      const creationTime = clock.now();
      const session = {
        accountId,
        keyId: key.keyId,
        scopes: key.scopes,
        creationTime,
        expirationTime: creationTime + lifetimeMs,
      };
      sessions.set(hash, session);
      auditLog.write(creationTime, note);
      return { session, displaced: displaced.length > 0 };
    },

    findSession(hash: string): FoundSession | undefined {
      const session = sessions.get(hash);
      if (session === undefined || !isLive(session)) return undefined;
      const account = liveAccount(state, session.accountId);
      return account && { session, account };
    },

    endSession(accountId: string, hash: string, note: AuditNote): Session | undefined {
      const session = sessions.get(hash);
      if (session?.accountId !== accountId || !isLive(session)) return undefined;
      sessions.delete(hash);
      auditLog.write(clock.now(), note);
      return session;
    },
  };
}
