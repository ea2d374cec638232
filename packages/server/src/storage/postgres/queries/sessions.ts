import type { AuditNote } from "../../../domain/audit.ts";
import { mostSessionsOfKey } from "../../../domain/session.ts";
import type { Session } from "../../../domain/session.ts";
import type { FoundSession, NewSession } from "../../store.ts";
import { gatherLookUps } from "../batches/gather-look-ups.ts";
import type { Row, Run } from "../connections/connections.ts";
import { enterAccount } from "../quotas/account-gate.ts";
import { accountColumns, readAccount } from "../rows/account-rows.ts";
import { writeNotes } from "./audit-entries.ts";
import type { Context, WorkContext } from "./context.ts";

export function createSession({ connections }: Context) {
  return (
    { accountId, keyHash, hash, lifetimeMs }: NewSession,
    note: AuditNote,
  ): Promise<{ session: Session; displaced: boolean } | undefined> =>
    connections.transaction(async (run) => {
      if (!(await enterAccount(run, accountId))) return undefined;
      const key = await lockKey(run, accountId, keyHash);
      if (key === undefined) return undefined;
      const displaced = await makeRoom(run, accountId, key["key_id"]);
      const [row] = await run({
        name: "create-session",
        text: `INSERT INTO sessions (hash, account_id, key_id, scopes, creation_time,
            expiration_time)
          SELECT $1, $2, $3, $4, now, now + $5::bigint FROM (SELECT now_ms() AS now) AS clock
          RETURNING *`,
        values: [hash, accountId, key["key_id"], key["scopes"], lifetimeMs],
      });
      await writeNotes(run, [note]);
      return { session: readSession(row!), displaced };
    }, accountId);
}

/** A call that ends the key waits for this transaction, and then ends its session too. */
async function lockKey(run: Run, accountId: string, keyHash: string): Promise<Row | undefined> {
  const [row] = await run({
    name: "lock-key",
    text: "SELECT key_id, scopes FROM access_keys WHERE hash = $1 AND account_id = $2 FOR UPDATE",
    values: [keyHash, accountId],
  });
  return row;
}

/** The lock on the key lets one call at a time count its sessions. */
async function makeRoom(run: Run, accountId: string, keyId: string): Promise<boolean> {
  const rows = await run({
    name: "find-oldest-sessions",
    text: `SELECT hash FROM sessions WHERE account_id = $1 AND key_id = $2
      ORDER BY creation_time DESC OFFSET $3`,
    values: [accountId, keyId, mostSessionsOfKey - 1],
  });
  if (rows.length === 0) return false;
  await run({
    name: "end-oldest-sessions",
    text: "DELETE FROM sessions WHERE hash = ANY($1::text[])",
    values: [rows.map((row) => row["hash"])],
  });
  return true;
}

export function findSession({ connections }: Pick<WorkContext, "connections">) {
  return gatherLookUps(async (hashes: readonly string[]): Promise<(FoundSession | undefined)[]> => {
    const rows = await connections.query({
      name: "find-sessions",
      text: `SELECT found.* FROM unnest($1::text[]) AS asked (hash)
        CROSS JOIN LATERAL (
          SELECT s.hash, s.key_id, s.scopes, s.creation_time, s.expiration_time, ${accountColumns}
          FROM sessions s
          JOIN access_keys k ON k.account_id = s.account_id AND k.key_id = s.key_id
          JOIN accounts a ON a.account_id = s.account_id
          WHERE s.hash = asked.hash AND s.expiration_time > now_ms() AND a.removal_time IS NULL
          LIMIT 1) AS found`,
      values: [hashes],
    });
    const byHash = new Map(rows.map((row) => [row["hash"], row]));
    return hashes.map((hash) => {
      const row = byHash.get(hash);
      return row && { session: readSession(row), account: readAccount(row) };
    });
  });
}

export function endSession({ connections }: Context) {
  return (accountId: string, hash: string, note: AuditNote): Promise<Session | undefined> =>
    connections.transaction(async (run) => {
      const [row] = await run({
        name: "end-session",
        text: `DELETE FROM sessions
          WHERE hash = $1 AND account_id = $2 AND expiration_time > now_ms() RETURNING *`,
        values: [hash, accountId],
      });
      if (row === undefined) return undefined;
      await writeNotes(run, [note]);
      return readSession(row);
    }, accountId);
}

function readSession(row: Row): Session {
  return {
    accountId: row["account_id"],
    keyId: row["key_id"],
    scopes: JSON.parse(row["scopes"]),
    creationTime: row["creation_time"],
    expirationTime: row["expiration_time"],
  };
}
