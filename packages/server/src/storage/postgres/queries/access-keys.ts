import { mostKeys } from "../../../domain/access.ts";
import type { AccessKey } from "../../../domain/access.ts";
import type { AuditNote } from "../../../domain/audit.ts";
import type { FoundKey, NewAccessKey } from "../../store.ts";
import { enterAccount, lockAccount } from "../quotas/account-gate.ts";
import { accountColumns, readAccount } from "../rows/account-rows.ts";
import type { Row, Run } from "../connections/connections.ts";
import type { Context, WorkContext } from "./context.ts";
import { gatherLookUps } from "../batches/gather-look-ups.ts";
import { writeNotes } from "./audit-entries.ts";

const live = `SELECT k.*, ${accountColumns} FROM access_keys k
  JOIN accounts a ON a.account_id = k.account_id WHERE a.removal_time IS NULL`;

export function createKey({ connections }: Context) {
  return (key: NewAccessKey, note: AuditNote): Promise<AccessKey | "too-many" | undefined> =>
    connections.transaction(async (run) => {
      if (!(await enterAccount(run, key.accountId))) return undefined;
      await lockAccount(run, key.accountId);
      const isFull = await run({
        name: "find-last-key",
        text: "SELECT 1 FROM access_keys WHERE account_id = $1 LIMIT 1 OFFSET $2",
        values: [key.accountId, mostKeys - 1],
      });
      if (isFull.length > 0) return "too-many";
      const made = await insertKey(run, key);
      await writeNotes(run, [note]);
      return made;
    }, key.accountId);
}

export function replaceKey({ connections }: Context) {
  return (key: NewAccessKey, note: AuditNote): Promise<AccessKey | undefined> =>
    connections.transaction(async (run) => {
      if (!(await enterAccount(run, key.accountId))) return undefined;
      // Nodes that start together replace the same key, so they do it one after the other.
      await lockAccount(run, key.accountId);
      await deleteKey(run, key.accountId, key.keyId);
      const made = await insertKey(run, key);
      await writeNotes(run, [note]);
      return made;
    }, key.accountId);
}

export function findKey({ connections }: Pick<WorkContext, "connections">) {
  return gatherLookUps(async (hashes: readonly string[]): Promise<(FoundKey | undefined)[]> => {
    const rows = await connections.query({
      name: "find-keys",
      text: `SELECT found.* FROM unnest($1::text[]) AS asked (hash)
        CROSS JOIN LATERAL (${live} AND k.hash = asked.hash LIMIT 1) AS found`,
      values: [hashes],
    });
    const byHash = new Map(rows.map((row) => [row["hash"], row]));
    return hashes.map((hash) => {
      const row = byHash.get(hash);
      return row && { key: readKey(row), account: readAccount(row) };
    });
  });
}

export function listKeys({ connections }: Context) {
  return async (accountId: string): Promise<AccessKey[]> => {
    const rows = await connections.query(
      {
        name: "list-keys",
        text: `${live} AND k.account_id = $1 ORDER BY k.creation_time, k.key_id COLLATE "C"`,
        values: [accountId],
      },
      accountId,
    );
    return rows.map(readKey);
  };
}

export function revokeKey({ connections }: Context) {
  return (accountId: string, keyId: string, note: AuditNote): Promise<AccessKey | undefined> =>
    connections.transaction(async (run) => {
      const revoked = await deleteKey(run, accountId, keyId);
      if (revoked !== undefined) await writeNotes(run, [note]);
      return revoked;
    }, accountId);
}

export async function insertKey(run: Run, key: NewAccessKey): Promise<AccessKey> {
  const [row] = await run({
    name: "create-key",
    text: `INSERT INTO access_keys (account_id, key_id, name, scopes, hash, creation_time)
      VALUES ($1, $2, $3, $4, $5, now_ms()) RETURNING *`,
    values: [key.accountId, key.keyId, key.name, JSON.stringify(key.scopes), key.hash],
  });
  return readKey(row!);
}

/** A replaced key keeps its id. A session of the old one must not open the account by the new one. */
async function deleteKey(
  run: Run,
  accountId: string,
  keyId: string,
): Promise<AccessKey | undefined> {
  const [row] = await run({
    name: "revoke-key",
    text: "DELETE FROM access_keys WHERE account_id = $1 AND key_id = $2 RETURNING *",
    values: [accountId, keyId],
  });
  if (row === undefined) return undefined;
  await run({
    name: "end-sessions-of-key",
    text: "DELETE FROM sessions WHERE account_id = $1 AND key_id = $2",
    values: [accountId, keyId],
  });
  return readKey(row);
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
