import type { AccessKey } from "../../../domain/access.ts";
import type { NewAccessKey } from "../../store.ts";
import type { Context } from "../context.ts";
import type { Row } from "../message-table.ts";

export function ensureAccount({ db, clock, accounts, monthlyMessageLimit }: Context) {
  const insert = db.prepare(
    "INSERT INTO accounts (account_id, monthly_message_limit, creation_time) VALUES (?, ?, ?)",
  );
  return (accountId: string): { created: boolean } => {
    if (accounts.keyOf(accountId) !== undefined) return { created: false };
    insert.run(accountId, monthlyMessageLimit, clock.now());
    return { created: true };
  };
}

export function createKey({ db, clock, accounts }: Context) {
  const insert = db.prepare(
    `INSERT INTO access_keys (account_key, key_id, name, scopes, hash, creation_time)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  return (key: NewAccessKey): AccessKey => {
    const accountKey = accounts.keyOf(key.accountId);
    if (accountKey === undefined) throw new Error(`no account ${key.accountId}`);
    const now = clock.now();
    insert.run(accountKey, key.keyId, key.name, JSON.stringify(key.scopes), key.hash, now);
    const { hash: _, ...visible } = key;
    return { ...visible, creationTime: now };
  };
}

export function replaceKey(context: Context) {
  const revoke = revokeKey(context);
  const create = createKey(context);
  return (key: NewAccessKey): AccessKey => {
    revoke(key.accountId, key.keyId);
    return create(key);
  };
}

export function findKey({ db }: Context) {
  const select = db.prepare(
    "SELECT k.*, account_id FROM access_keys k JOIN accounts USING (account_key) WHERE hash = ?",
  );
  return (hash: string): AccessKey | undefined => {
    const row = select.get(hash);
    return row && readKey(row);
  };
}

export function listKeys({ db }: Context) {
  const select = db.prepare(
    `SELECT k.*, account_id FROM access_keys k JOIN accounts USING (account_key)
     WHERE account_id = ? ORDER BY k.creation_time, key_id`,
  );
  return (accountId: string): AccessKey[] => select.all(accountId).map(readKey);
}

export function revokeKey({ db, accounts }: Context) {
  const remove = db.prepare("DELETE FROM access_keys WHERE account_key = ? AND key_id = ?");
  return (accountId: string, keyId: string): boolean => {
    const accountKey = accounts.keyOf(accountId);
    return accountKey !== undefined && Number(remove.run(accountKey, keyId).changes) > 0;
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
