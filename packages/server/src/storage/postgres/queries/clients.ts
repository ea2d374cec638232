import type { AuditNote } from "../../../domain/audit.ts";
import { mostClients } from "../../../domain/client.ts";
import type { Client } from "../../../domain/client.ts";
import type { AccessStore, FoundClient, NewClient } from "../../store.ts";
import { enterAccount, lockAccount } from "../quotas/account-gate.ts";
import { accountColumns, readAccount } from "../rows/account-rows.ts";
import type { Row } from "../connections/connections.ts";
import type { Context, WorkContext } from "./context.ts";
import { gatherLookUps } from "../batches/gather-look-ups.ts";
import { writeNotes } from "./audit-entries.ts";

const live = `FROM clients c JOIN accounts a ON a.account_id = c.account_id
  WHERE a.removal_time IS NULL`;

export function createClient({ connections }: Context) {
  return (client: NewClient, note: AuditNote): Promise<Client | "too-many" | undefined> =>
    connections.transaction(async (run) => {
      if (!(await enterAccount(run, client.accountId))) return undefined;
      await lockAccount(run, client.accountId);
      const isFull = await run({
        name: "find-last-client",
        text: "SELECT 1 FROM clients WHERE account_id = $1 LIMIT 1 OFFSET $2",
        values: [client.accountId, mostClients - 1],
      });
      if (isFull.length > 0) return "too-many";
      const [row] = await run({
        name: "create-client",
        text: `INSERT INTO clients (client_id, account_id, name, scopes, secret_hash, creation_time,
            secret_time)
          SELECT $1, $2, $3, $4, $5, now, now FROM (SELECT now_ms() AS now) AS clock RETURNING *`,
        values: [
          client.clientId,
          client.accountId,
          client.name,
          JSON.stringify(client.scopes),
          client.secretHash,
        ],
      });
      await writeNotes(run, [note]);
      return readClient(row!);
    }, client.accountId);
}

export function findClient({ connections }: Pick<WorkContext, "connections">) {
  return gatherLookUps(async (ids: readonly string[]): Promise<(FoundClient | undefined)[]> => {
    const rows = await connections.query({
      name: "find-clients",
      text: `SELECT found.* FROM unnest($1::text[]) AS asked (client_id) CROSS JOIN LATERAL (
          SELECT c.*, c.previous_until > now_ms() AS previous_counts, ${accountColumns} ${live}
            AND c.client_id = asked.client_id LIMIT 1
        ) AS found`,
      values: [ids],
    });
    const byId = new Map(rows.map((row) => [row["client_id"], row]));
    return ids.map((id) => {
      const row = byId.get(id);
      return row && readFoundClient(row);
    });
  });
}

function readFoundClient(row: Row): FoundClient {
  const counts = row["previous_counts"] === true;
  const secrets = {
    current: row["secret_hash"],
    previous: counts ? row["previous_hash"] : null,
    previousUntil: counts ? row["previous_until"] : null,
  };
  return { client: readClient(row), secrets, account: readAccount(row) };
}

export function getClient({ connections }: Context) {
  return async (accountId: string, clientId: string): Promise<Client | undefined> => {
    const [row] = await connections.query(
      {
        name: "get-client",
        text: `SELECT c.* ${live} AND c.client_id = $1 AND c.account_id = $2`,
        values: [clientId, accountId],
      },
      accountId,
    );
    return row && readClient(row);
  };
}

export function listClients({ connections }: Context) {
  return async (accountId: string): Promise<Client[]> => {
    const rows = await connections.query(
      {
        name: "list-clients",
        text: `SELECT c.* ${live} AND c.account_id = $1 ORDER BY c.creation_time, c.client_id`,
        values: [accountId],
      },
      accountId,
    );
    return rows.map(readClient);
  };
}

export function rotateClientSecret({ connections }: Context) {
  return (
    rotation: Parameters<AccessStore["rotateClientSecret"]>[0],
    note: AuditNote,
  ): Promise<Client | undefined> =>
    connections.transaction(async (run) => {
      const [row] = await run({
        name: "rotate-client-secret",
        text: `UPDATE clients SET previous_hash = CASE WHEN $4::bigint > 0 THEN secret_hash END,
            previous_until = CASE WHEN $4 > 0 THEN clock.now + $4 END,
            secret_hash = $3, secret_time = clock.now
          FROM (SELECT now_ms() AS now) AS clock
          WHERE client_id = $1 AND account_id = $2 RETURNING clients.*`,
        values: [rotation.clientId, rotation.accountId, rotation.secretHash, rotation.overlapMs],
      });
      if (row === undefined) return undefined;
      await writeNotes(run, [note]);
      return readClient(row);
    }, rotation.accountId);
}

export function removeClient({ connections }: Context) {
  return (accountId: string, clientId: string, note: AuditNote): Promise<Client | undefined> =>
    connections.transaction(async (run) => {
      const [row] = await run({
        name: "remove-client",
        text: "DELETE FROM clients WHERE client_id = $1 AND account_id = $2 RETURNING *",
        values: [clientId, accountId],
      });
      if (row === undefined) return undefined;
      await writeNotes(run, [note]);
      return readClient(row);
    }, accountId);
}

export function readClient(row: Row): Client {
  return {
    clientId: row["client_id"],
    accountId: row["account_id"],
    name: row["name"],
    scopes: JSON.parse(row["scopes"]),
    creationTime: row["creation_time"],
    secretTime: row["secret_time"],
  };
}
