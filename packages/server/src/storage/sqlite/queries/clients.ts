import type { AuditNote } from "../../../domain/audit.ts";
import { mostClients } from "../../../domain/client.ts";
import type { Client, ClientSecrets } from "../../../domain/client.ts";
import type { AccessStore, FoundClient, NewClient } from "../../store.ts";
import { accountColumns, readAccount } from "../account-rows.ts";
import type { Context } from "../context.ts";
import type { Row } from "../rows.ts";

const live = `SELECT c.*, ${accountColumns} FROM clients c JOIN accounts a USING (account_key)
  WHERE a.removal_time IS NULL`;

export function createClient({ db, clock, accounts, audit }: Context) {
  const insert = db.prepare(
    `INSERT INTO clients (client_id, account_key, name, scopes, secret_hash, creation_time,
       secret_time)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const isFull = db.prepare("SELECT 1 FROM clients WHERE account_key = ? LIMIT 1 OFFSET ?");
  return (client: NewClient, note: AuditNote): Client | "too-many" | undefined => {
    const accountKey = accounts.keyOf(client.accountId);
    if (accountKey === undefined) return undefined;
    if (isFull.get(accountKey, mostClients - 1) !== undefined) return "too-many";
    const { secretHash, ...visible } = client;
    const now = clock.now();
    const scopes = JSON.stringify(client.scopes);
    insert.run(client.clientId, accountKey, client.name, scopes, secretHash, now, now);
    audit.write(note);
    return { ...visible, creationTime: now, secretTime: now };
  };
}

export function findClient({ db, clock }: Context) {
  const select = db.prepare(`${live} AND client_id = ?`);
  return (clientId: string): FoundClient | undefined => {
    const row = select.get(clientId);
    if (row === undefined) return undefined;
    const secrets = readSecrets(row, clock.now());
    return { client: readClient(row), secrets, account: readAccount(row) };
  };
}

export function getClient({ db }: Context) {
  const select = db.prepare(`${live} AND client_id = ? AND a.account_id = ?`);
  return (accountId: string, clientId: string): Client | undefined => {
    const row = select.get(clientId, accountId);
    return row && readClient(row);
  };
}

export function listClients({ db }: Context) {
  const select = db.prepare(`${live} AND a.account_id = ? ORDER BY c.creation_time, client_id`);
  return (accountId: string): Client[] => select.all(accountId).map(readClient);
}

export function rotateClientSecret(context: Context) {
  const { db, clock, audit } = context;
  const get = getClient(context);
  const update = db.prepare(
    `UPDATE clients SET previous_hash = CASE WHEN :overlap > 0 THEN secret_hash END,
       previous_until = CASE WHEN :overlap > 0 THEN :now + :overlap END,
       secret_hash = :hash, secret_time = :now
     WHERE client_id = :client`,
  );
  return (
    rotation: Parameters<AccessStore["rotateClientSecret"]>[0],
    note: AuditNote,
  ): Client | undefined => {
    const { accountId, clientId, secretHash, overlapMs } = rotation;
    const before = get(accountId, clientId);
    if (before === undefined) return undefined;
    const now = clock.now();
    update.run({ overlap: overlapMs, now, hash: secretHash, client: clientId });
    audit.write(note);
    return { ...before, secretTime: now };
  };
}

export function removeClient(context: Context) {
  const get = getClient(context);
  const remove = context.db.prepare("DELETE FROM clients WHERE client_id = ?");
  return (accountId: string, clientId: string, note: AuditNote): Client | undefined => {
    const client = get(accountId, clientId);
    if (client === undefined) return undefined;
    remove.run(clientId);
    context.audit.write(note);
    return client;
  };
}

function readClient(row: Row): Client {
  return {
    clientId: row["client_id"] as string,
    accountId: row["account_id"] as string,
    name: row["name"] as string,
    scopes: JSON.parse(row["scopes"] as string),
    creationTime: row["creation_time"] as number,
    secretTime: row["secret_time"] as number,
  };
}

function readSecrets(row: Row, now: number): ClientSecrets {
  const until = row["previous_until"] as number | null;
  const counts = until !== null && until > now;
  return {
    current: row["secret_hash"] as string,
    previous: counts ? (row["previous_hash"] as string) : null,
    previousUntil: counts ? until : null,
  };
}
