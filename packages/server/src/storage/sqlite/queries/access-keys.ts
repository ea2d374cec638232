import { mostKeys } from "../../../domain/access.ts";
import type { AccessKey } from "../../../domain/access.ts";
import type { AuditNote } from "../../../domain/audit.ts";
import type { FoundKey, NewAccessKey } from "../../store.ts";
import { accountColumns, readAccount } from "../rows/account-rows.ts";
import type { Context } from "./context.ts";
import type { Row } from "../rows/rows.ts";

const live = `SELECT k.*, ${accountColumns} FROM access_keys k JOIN accounts a USING (account_key)
  WHERE a.removal_time IS NULL`;

export function createKey(context: Context) {
  const { db, accounts } = context;
  const isFull = db.prepare("SELECT 1 FROM access_keys WHERE account_key = ? LIMIT 1 OFFSET ?");
  const keep = notedInsertion(context);
  return (key: NewAccessKey, note: AuditNote): AccessKey | "too-many" | undefined => {
    const accountKey = accounts.keyOf(key.accountId);
    if (accountKey === undefined) return undefined;
    if (isFull.get(accountKey, mostKeys - 1) !== undefined) return "too-many";
    return keep(key, note);
  };
}

export function replaceKey(context: Context) {
  const remove = keyDeletion(context);
  const keep = notedInsertion(context);
  return (key: NewAccessKey, note: AuditNote): AccessKey | undefined => {
    remove(key.accountId, key.keyId);
    return keep(key, note);
  };
}

function notedInsertion(context: Context) {
  const insert = keyInsertion(context);
  return (key: NewAccessKey, note: AuditNote): AccessKey | undefined => {
    const made = insert(key);
    if (made !== undefined) context.audit.write(note);
    return made;
  };
}

/** Undefined if there is no such account. */
export function keyInsertion({ db, clock, accounts }: Context) {
  const insert = db.prepare(
    `INSERT INTO access_keys (account_key, key_id, name, scopes, hash, creation_time)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  return (key: NewAccessKey): AccessKey | undefined => {
    const accountKey = accounts.keyOf(key.accountId);
    if (accountKey === undefined) return undefined;
    const now = clock.now();
    insert.run(accountKey, key.keyId, key.name, JSON.stringify(key.scopes), key.hash, now);
    const { hash: _, ...visible } = key;
    return { ...visible, creationTime: now };
  };
}

export function findKey({ db }: Context) {
  const select = db.prepare(`${live} AND hash = ?`);
  return (hash: string): FoundKey | undefined => {
    const row = select.get(hash);
    return row && { key: readKey(row), account: readAccount(row) };
  };
}

export function listKeys({ db }: Context) {
  const select = db.prepare(`${live} AND a.account_id = ? ORDER BY k.creation_time, key_id`);
  return (accountId: string): AccessKey[] => select.all(accountId).map(readKey);
}

export function revokeKey(context: Context) {
  const remove = keyDeletion(context);
  return (accountId: string, keyId: string, note: AuditNote): AccessKey | undefined => {
    const removed = remove(accountId, keyId);
    if (removed !== undefined) context.audit.write(note);
    return removed;
  };
}

/** A replaced key keeps its id. A session of the old one must not open the account by the new one. */
function keyDeletion({ db, accounts }: Context) {
  const remove = db.prepare(
    "DELETE FROM access_keys WHERE account_key = ? AND key_id = ? RETURNING *",
  );
  const endSessions = db.prepare("DELETE FROM sessions WHERE account_key = ? AND key_id = ?");
  return (accountId: string, keyId: string): AccessKey | undefined => {
    const accountKey = accounts.keyOf(accountId);
    const row = accountKey === undefined ? undefined : remove.get(accountKey, keyId);
    if (row === undefined) return undefined;
    endSessions.run(accountKey!, keyId);
    return readKey({ ...row, account_id: accountId });
  };
}

function readKey(row: Row): AccessKey {
  return {
    keyId: row["key_id"] as string,
    accountId: row["account_id"] as string,
    name: row["name"] as string,
    scopes: JSON.parse(row["scopes"] as string),
    creationTime: row["creation_time"] as number,
  };
}
