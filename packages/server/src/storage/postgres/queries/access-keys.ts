import type { AccessKey } from "../../../domain/access.ts";
import type { NewAccessKey } from "../../store.ts";
import type { Query, Row } from "../connections.ts";
import type { Context } from "../context.ts";

export function ensureAccount({ connections, monthlyMessageLimit }: Context) {
  return async (accountId: string): Promise<{ created: boolean }> => {
    const rows = await connections.query({
      name: "ensure-account",
      text: `INSERT INTO accounts (account_id, monthly_message_limit, creation_time)
        VALUES ($1, $2, now_ms()) ON CONFLICT DO NOTHING RETURNING account_id`,
      values: [accountId, monthlyMessageLimit],
    });
    return { created: rows.length > 0 };
  };
}

export function createKey({ connections }: Context) {
  return async (key: NewAccessKey): Promise<AccessKey> =>
    readKey((await connections.query(insertKey(key)))[0]!);
}

export function replaceKey({ connections }: Context) {
  return (key: NewAccessKey): Promise<AccessKey> =>
    connections.transaction(async (run) => {
      // Nodes that start together replace the same key: one after the other.
      await run({
        name: "lock-account-for-key",
        text: "SELECT 1 FROM accounts WHERE account_id = $1 FOR NO KEY UPDATE",
        values: [key.accountId],
      });
      await run(deleteKey(key.accountId, key.keyId));
      return readKey((await run(insertKey(key)))[0]!);
    });
}

export function findKey({ connections }: Context) {
  return async (hash: string): Promise<AccessKey | undefined> => {
    const [row] = await connections.query({
      name: "find-key",
      text: "SELECT * FROM access_keys WHERE hash = $1",
      values: [hash],
    });
    return row && readKey(row);
  };
}

export function listKeys({ connections }: Context) {
  return async (accountId: string): Promise<AccessKey[]> => {
    const rows = await connections.query({
      name: "list-keys",
      text: "SELECT * FROM access_keys WHERE account_id = $1 ORDER BY creation_time, key_id",
      values: [accountId],
    });
    return rows.map(readKey);
  };
}

export function revokeKey({ connections }: Context) {
  return async (accountId: string, keyId: string): Promise<boolean> =>
    (await connections.query(deleteKey(accountId, keyId))).length > 0;
}

function insertKey(key: NewAccessKey): Query {
  return {
    name: "create-key",
    text: `INSERT INTO access_keys (account_id, key_id, name, scopes, hash, creation_time)
      VALUES ($1, $2, $3, $4, $5, now_ms()) RETURNING *`,
    values: [key.accountId, key.keyId, key.name, JSON.stringify(key.scopes), key.hash],
  };
}

function deleteKey(accountId: string, keyId: string): Query {
  return {
    name: "revoke-key",
    text: "DELETE FROM access_keys WHERE account_id = $1 AND key_id = $2 RETURNING key_id",
    values: [accountId, keyId],
  };
}

function readKey(row: Row): AccessKey {
  return {
    keyId: row["key_id"],
    accountId: row["account_id"],
    name: row["name"],
    scopes: JSON.parse(row["scopes"]),
    creationTime: row["creation_time"],
  };
}
