import pg from "pg";
import type { ClientBase, PoolClient } from "pg";
import { StoreUnavailable } from "../store.ts";

export interface Connections {
  query(query: Query): Promise<Row[]>;
  /** Runs the work in one transaction; what it throws undoes all of it. */
  transaction<T>(work: (query: (query: Query) => Promise<Row[]>) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface Query {
  /** Named statements are prepared once a connection. */
  readonly name: string;
  readonly text: string;
  readonly values?: unknown[];
}

// What a row holds is known to the query that asked for it.
// oxlint-disable-next-line typescript/no-explicit-any
export type Row = Record<string, any>;

const bigintOid = 20;

/** Milliseconds and counters fit a double exactly. */
const types = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === bigintOid ? Number : (pg.types.getTypeParser(oid, format) as unknown),
};

const slowestConnectMs = 8_000;

export interface ConnectionOptions {
  readonly max: number;
  /** No call waits longer for the database; the caller is told to come back. 0: however long it takes. */
  readonly deadlineMs: number;
}

export function openConnections(
  databaseUrl: string,
  { max, deadlineMs }: ConnectionOptions,
): Connections {
  let pool = makePool();
  let ended: Promise<void> | undefined;
  /** Connections on which the server has warned since the last statement. */
  const warned = new WeakSet<ClientBase>();

  function makePool(): pg.Pool {
    const made = new pg.Pool({
      connectionString: databaseUrl,
      max,
      types: types,
      connectionTimeoutMillis: slowestConnectMs,
      // Ours, not the server's: a statement that waits for a synchronous standby must never be
      // cancelled, which would make it look committed. The connection is dropped instead.
      query_timeout: deadlineMs,
      application_name: "postdate",
    });
    // An idle connection that breaks is dropped by the pool; there is nobody to tell.
    made.on("error", () => {});
    made.on("connect", (client) => {
      // One that breaks between two statements of a transaction: the next statement says so.
      client.on("error", () => {});
      client.on("notice", (notice) => {
        if (notice.severity === "WARNING") warned.add(client);
      });
    });
    return made;
  }

  /** After a failover every connection leads to the wrong place: all are dropped, not only this one. */
  function replacePool(stale: pg.Pool): void {
    if (stale !== pool || ended !== undefined) return;
    pool = makePool();
    stale.end().catch(() => {});
  }

  async function withClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const used = pool;
    let client: PoolClient;
    try {
      client = await used.connect();
    } catch (error) {
      return refuse(error);
    }
    let broken = false;
    try {
      return await work(client);
    } catch (error) {
      broken = isConnectionTrouble(error);
      if (movedAway.test((error as { code?: string }).code ?? "")) replacePool(used);
      return refuse(error);
    } finally {
      client.release(broken);
    }
  }

  /** A warning at a commit means that it is not as durable as it must be: not acknowledged, then. */
  async function committing(client: PoolClient, statement: string | Query): Promise<Row[]> {
    warned.delete(client);
    const { rows } = await client.query(statement);
    if (warned.has(client)) throw new StoreUnavailable("PostgreSQL warned at the commit");
    return rows as Row[];
  }

  return {
    query: (query) => withClient((client) => committing(client, query)),
    transaction: (work) =>
      withClient(async (client) => {
        await client.query("BEGIN");
        let result;
        try {
          result = await work(async (query) => (await client.query(query)).rows as Row[]);
        } catch (error) {
          await client.query("ROLLBACK").catch(() => {});
          throw error;
        }
        await committing(client, "COMMIT");
        return result;
      }),
    close: () => (ended ??= pool.end()),
  };
}

function refuse(error: unknown): never {
  if (error instanceof StoreUnavailable || !isConnectionTrouble(error)) throw error;
  const { message } = error as Error;
  throw new StoreUnavailable(`PostgreSQL is not available: ${message}`, { cause: error });
}

/** Shutting down, starting up, or a standby now. */
const movedAway = /^(?:57P0[1-3]|25006)$/;

/** Classes 08 and 53, shutdown and start-up, read-only standby, serialisation and deadlock. */
const unavailableStates = /^(?:08|53|57P|25006|40001|40P01)/;

function isConnectionTrouble(error: unknown): boolean {
  if (error instanceof StoreUnavailable) return true;
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: string };
  if (code === undefined)
    return /terminated|timeout|closed|ended|not queryable/i.test(error.message);
  return unavailableStates.test(code) || /^E[A-Z]+$/.test(code);
}
