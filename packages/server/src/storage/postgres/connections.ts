import type { EventEmitter } from "node:events";
import type { Duplex } from "node:stream";
import pg from "pg";
import type { ClientBase, PoolClient } from "pg";
import { systemClock } from "../../platform/clock.ts";
import { StoreUnavailable } from "../store.ts";

export interface Connections {
  readonly query: Run;
  /** Runs the work in one transaction; what it throws undoes all of it. */
  transaction<T>(work: (run: Run) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface Query {
  /** Named statements are prepared once a connection. */
  readonly name: string;
  readonly text: string;
  readonly values?: unknown[];
}

/** Sends a statement, within a transaction or by itself. */
export type Run = (query: Query) => Promise<Row[]>;

// What a row holds is known to the query that asked for it.
// oxlint-disable-next-line typescript/no-explicit-any
export type Row = Record<string, any>;

const bigintOid = 20;

/** Milliseconds and counters fit a double exactly. */
const types = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === bigintOid ? Number : (pg.types.getTypeParser(oid, format) as unknown),
};

/**
 * Every statement goes from few rows to few rows by keys, and is to do so however large or small the
 * tables were when it was planned, or when they were last looked at. So each is planned once a connection
 * (planning a claim takes longer than executing it), and what would be a guess at sizes is switched off:
 * reading a whole table or sorting it because it is small today, joining in memory what is looked up by
 * key. A plain index scan also marks the dead entries it meets for whoever comes next.
 */
export const plannerSettings = [
  "plan_cache_mode = force_generic_plan",
  "jit = off",
  ...["seqscan", "bitmapscan", "sort", "incremental_sort"].map((way) => `enable_${way} = off`),
  ...["hashjoin", "mergejoin", "material", "memoize"].map((way) => `enable_${way} = off`),
].map((setting) => `SET ${setting}`);

/** A database that knows no such setting does without. */
async function setPlanner(client: ClientBase): Promise<void> {
  const limit = { query_timeout: slowestSettingMs };
  const send = async (text: string): Promise<void> => {
    await client.query({ text, ...limit });
  };
  try {
    await send(plannerSettings.join("; "));
  } catch (error) {
    // No answer at all: whoever is given the connection finds out, within a time of its own.
    if ((error as { code?: string }).code === undefined) return;
    for (const setting of plannerSettings) await send(setting).catch(() => {});
  }
}

const slowestSettingMs = 4_000;

/** Plans live as long as their connection: what has grown meanwhile is planned for anew. */
const maxLifetimeSeconds = 60;

const slowestConnectMs = 8_000;

/** The driver gives up a login that it cannot make, for want of a password say, but not its socket. */
class ClosingClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    const { connection } = this as unknown as {
      connection: EventEmitter & { readonly stream: Duplex };
    };
    connection.on("error", () => connection.stream.destroy());
  }
}

export interface ConnectionOptions {
  readonly max: number;
  /**
   * No call takes longer, from waiting for a connection to its commit; the caller is told to come
   * back. 0: however long it takes.
   */
  readonly deadlineMs: number;
}

export function openConnections(
  databaseUrl: string,
  { max, deadlineMs }: ConnectionOptions,
): Connections {
  /** Connections of an earlier generation may lead to a server that is no longer the primary. */
  let generation = 0;
  const generationOf = new WeakMap<ClientBase, number>();
  /** Connections on which the server has warned since the last statement. */
  const warned = new WeakSet<ClientBase>();
  const pool = makePool();

  function makePool(): pg.Pool {
    const made = new pg.Pool({
      Client: ClosingClient,
      // The pool waits for it, whatever its types say.
      // oxlint-disable-next-line typescript/no-misused-promises
      onConnect: setPlanner,
      connectionString: databaseUrl,
      max,
      types: types,
      maxLifetimeSeconds,
      connectionTimeoutMillis: deadlineMs || slowestConnectMs,
      application_name: "postdate",
    });
    // An idle connection that breaks is dropped by the pool; there is nobody to tell.
    made.on("error", () => {});
    made.on("connect", (client) => {
      generationOf.set(client, generation);
      // One that breaks between two statements of a transaction: the next statement says so.
      client.on("error", () => {});
      client.on("notice", (notice) => {
        if (isWarning(notice)) warned.add(client);
      });
    });
    return made;
  }

  const isStale = (client: PoolClient): boolean => generationOf.get(client) !== generation;

  async function connect(): Promise<PoolClient> {
    for (;;) {
      const client = await pool.connect();
      if (!isStale(client)) return client;
      client.release(true);
    }
  }

  async function withClient<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const deadline = deadlineMs === 0 ? Infinity : systemClock.monotonic() + deadlineMs;
    let client: PoolClient;
    try {
      client = await connect();
    } catch (error) {
      return refuse(error);
    }
    let broken = false;
    try {
      return await work(sessionOn(client, deadline));
    } catch (error) {
      broken = isConnectionTrouble(error);
      // What one connection has met awaits the others: all are dropped, not only this one.
      if (!isStale(client) && (isSilence(error) || isMoved(error))) generation++;
      return refuse(error);
    } finally {
      client.release(broken || isStale(client));
    }
  }

  function sessionOn(client: PoolClient, deadline: number): Session {
    const run: Session["run"] = async (query) => {
      const remainingMs = Math.ceil(deadline - systemClock.monotonic());
      if (remainingMs <= 0) throw new StoreUnavailable("PostgreSQL took too long");
      // Ours, not the server's: a statement that waits for a synchronous standby must never be
      // cancelled, which would make it look committed. The connection is dropped instead.
      const limit = deadline === Infinity ? {} : { query_timeout: remainingMs };
      const { rows } = await client.query({ ...query, ...limit });
      return rows as Row[];
    };
    return {
      run,
      /** A warning at a commit means that it is not as durable as it must be: not acknowledged, then. */
      async commit(query) {
        warned.delete(client);
        const rows = await run(query);
        if (warned.has(client)) throw new StoreUnavailable("PostgreSQL warned at the commit");
        return rows;
      },
    };
  }

  let ended: Promise<void> | undefined;
  return {
    query: (query) => withClient(({ commit }) => commit(query)),
    transaction: (work) =>
      withClient(async ({ run, commit }) => {
        await run({ name: "", text: "BEGIN" });
        let result;
        try {
          result = await work(run);
        } catch (error) {
          // One that is dropped is rolled back by that, and must not be waited for once more.
          if (!isConnectionTrouble(error)) await run({ name: "", text: "ROLLBACK" });
          throw error;
        }
        await commit({ name: "", text: "COMMIT" });
        return result;
      }),
    close: () => (ended ??= pool.end()),
  };
}

/** Statements on one connection, within what is left of one call's time. */
interface Session {
  readonly run: Run;
  readonly commit: Run;
}

/** By its code as well: the server says the severity in its own language. */
function isWarning({ severity, code }: Pick<pg.DatabaseError, "severity" | "code">): boolean {
  return severity === "WARNING" || /^(?:01|57)/.test(code ?? "");
}

function refuse(error: unknown): never {
  if (error instanceof StoreUnavailable || !isConnectionTrouble(error)) throw error;
  const { message } = error as Error;
  throw new StoreUnavailable(`PostgreSQL is not available: ${message}`, { cause: error });
}

/** Shutting down, starting up, or a standby now. */
function isMoved(error: unknown): boolean {
  return /^(?:57P0[1-3]|25006)$/.test((error as { code?: string }).code ?? "");
}

/** How the driver says that a statement had no answer in time. */
function isSilence(error: unknown): boolean {
  return (error as Error).message === "Query read timeout";
}

/** Classes 08, 53 and 57, read-only standby, idle for too long, serialisation and deadlock. */
const unavailableStates = /^(?:08|53|57|25006|25P03|40001|40P01)/;

function isConnectionTrouble(error: unknown): boolean {
  if (error instanceof StoreUnavailable) return true;
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: string };
  if (code === undefined)
    return /terminated|timeout|closed|ended|not queryable/i.test(error.message);
  return unavailableStates.test(code) || /^E[A-Z]+$/.test(code);
}
