import type { AuditNote } from "../../../domain/audit.ts";
import { mostSessionsOfKey } from "../../../domain/session.ts";
import type { Session } from "../../../domain/session.ts";
import type { FoundSession, NewSession } from "../../store.ts";
import { accountColumns, readAccount } from "../rows/account-rows.ts";
import type { Row } from "../rows/rows.ts";
import type { Context } from "./context.ts";

export function createSession({ db, clock, accounts, audit }: Context) {
  const selectKey = db.prepare(
    "SELECT key_id, scopes FROM access_keys WHERE account_key = ? AND hash = ?",
  );
  const makeRoom = db.prepare(
    `DELETE FROM sessions WHERE hash IN
       (SELECT hash FROM sessions WHERE account_key = ? AND key_id = ?
        ORDER BY creation_time DESC, hash LIMIT -1 OFFSET ?)`,
  );
  const insert = db.prepare(
    `INSERT INTO sessions (hash, account_key, key_id, scopes, creation_time, expiration_time)
     VALUES (?, ?, ?, ?, ?, ?)
     RETURNING *`,
  );
  return (
    { accountId, keyHash, hash, lifetimeMs }: NewSession,
    note: AuditNote,
  ): { session: Session; displaced: boolean } | undefined => {
    const accountKey = accounts.keyOf(accountId);
    const key = accountKey === undefined ? undefined : selectKey.get(accountKey, keyHash);
    if (key === undefined) return undefined;
    const { key_id: keyId, scopes } = key as Row;
    const { changes } = makeRoom.run(accountKey!, keyId!, mostSessionsOfKey - 1);
    const now = clock.now();
    const row = insert.get(hash, accountKey!, keyId!, scopes!, now, now + lifetimeMs) as Row;
    audit.write(note);
    return { session: readSession(row, accountId), displaced: Number(changes) > 0 };
  };
}

export function findSession({ db, clock }: Context) {
  const select = db.prepare(
    `SELECT s.*, ${accountColumns}
     FROM sessions s JOIN access_keys k USING (account_key, key_id) JOIN accounts a USING (account_key)
     WHERE s.hash = ? AND s.expiration_time > ? AND a.removal_time IS NULL`,
  );
  return (hash: string): FoundSession | undefined => {
    const row = select.get(hash, clock.now());
    if (row === undefined) return undefined;
    const account = readAccount(row);
    return { session: readSession(row, account.accountId), account };
  };
}

export function endSession({ db, clock, accounts, audit }: Context) {
  const remove = db.prepare(
    "DELETE FROM sessions WHERE hash = ? AND account_key = ? AND expiration_time > ? RETURNING *",
  );
  return (accountId: string, hash: string, note: AuditNote): Session | undefined => {
    const accountKey = accounts.keyOf(accountId);
    const row = accountKey === undefined ? undefined : remove.get(hash, accountKey, clock.now());
    if (row === undefined) return undefined;
    audit.write(note);
    return readSession(row, accountId);
  };
}

function readSession(row: Row, accountId: string): Session {
  return {
    accountId,
    keyId: row["key_id"] as string,
    scopes: JSON.parse(row["scopes"] as string),
    creationTime: row["creation_time"] as number,
    expirationTime: row["expiration_time"] as number,
  };
}
