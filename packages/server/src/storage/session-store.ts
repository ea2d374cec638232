import type { Account } from "../domain/account.ts";
import type { AuditNote } from "../domain/audit.ts";
import type { Session } from "../domain/session.ts";

export interface NewSession {
  readonly accountId: string;
  /** SHA-256 of the key that signs in, in hex. */
  readonly keyHash: string;
  /** SHA-256 of the session's id, in hex. The id itself is never stored. */
  readonly hash: string;
  readonly lifetimeMs: number;
}

/** A session whose key exists, and the account that it opens. The account may be in any state. */
export interface FoundSession {
  readonly session: Session;
  readonly account: Account;
}

/** Sessions of browsers. The end of a key, also by replacement, ends its sessions in the same commit. */
export interface SessionStore {
  /**
   * Undefined if the account has no such key. If the key has `mostSessionsOfKey` already, the oldest
   * end (`displaced`).
   */
  createSession(
    session: NewSession,
    note: AuditNote,
  ): Promise<{ readonly session: Session; readonly displaced: boolean } | undefined>;
  findSession(hash: string): Promise<FoundSession | undefined>;
  /** Answers with the session as it was; undefined if the account has no such session. */
  endSession(accountId: string, hash: string, note: AuditNote): Promise<Session | undefined>;
}
