import type { EventEmitter } from "node:events";
import type { Duplex } from "node:stream";
import pg from "pg";
import type { ClientBase, PoolClient } from "pg";
import { systemClock } from "../../../platform/clock.ts";
import { systemTimers } from "../../../platform/timers.ts";
import { StoreUnavailable } from "../../store.ts";
import {
  breaksConnection,
  isMoved,
  isSilence,
  isWarning,
  refusalOf,
} from "./connection-trouble.ts";
import { Places } from "./places.ts";
import { boundsWithin, settingSession } from "./session-settings.ts";

/** Where there is not room for all, calls take turns by the name in which they are made, an account's say. */
export interface Connections {
  readonly query: (query: Query, name?: string) => Promise<Row[]>;
  /** Runs the work in one transaction; what it throws undoes all of it. */
  transaction<T>(work: (run: Run) => Promise<T>, name?: string): Promise<T>;
}

export interface OpenConnections extends Connections {
  /**
   * So many of the connections, for calls that are not to wait for those of another part. All parts
   * together must not be more than there are.
   */
  part(size: PartSize): Connections;
  close(): Promise<void>;
}

export interface PartSize {
  readonly places: number;
  /** So many of them at most for calls of one name; left out: all. */
  readonly placesOfOne?: number;
}

/** The same connections, for calls that are made in this name where they say no other. */
export function inTheNameOf(name: string, connections: Connections): Connections {
  return {
    query: (query, other = name) => connections.query(query, other),
    transaction: (work, other = name) => connections.transaction(work, other),
  };
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
): OpenConnections {
  const { silentMs } = boundsWithin(deadlineMs);
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
      onConnect: settingSession(deadlineMs),
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

  async function connect(deadline: number): Promise<PoolClient> {
    for (;;) {
      const client = await connectInTime(deadline);
      if (!isStale(client)) return client;
      client.release(true);
    }
  }

  /** A connection that comes too late is there for whoever asks next. */
  function connectInTime(deadline: number): Promise<PoolClient> {
    const connecting = pool.connect();
    if (deadline === Infinity) return connecting;
    return new Promise((resolve, reject) => {
      let isLate = false;
      const timer = systemTimers.after(deadline - systemClock.monotonic(), () => {
        isLate = true;
        reject(new StoreUnavailable("PostgreSQL was not connected to in time"));
      });
      connecting
        .finally(() => timer.cancel())
        .then((client) => (isLate ? client.release() : resolve(client)), reject);
    });
  }

  async function withClient<T>(
    deadline: number,
    work: (session: Session) => Promise<T>,
  ): Promise<T> {
    let client: PoolClient;
    try {
      client = await connect(deadline);
    } catch (error) {
      throw refusalOf(error);
    }
    let broken = false;
    try {
      return await work(sessionOn(client, deadline));
    } catch (error) {
      broken = breaksConnection(error);
      // What one connection has met awaits the others: all are dropped, not only this one.
      if (!isStale(client) && (isSilence(error) || isMoved(error))) generation++;
      throw refusalOf(error);
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
      const asked = systemClock.monotonic();
      try {
        const { rows } = await client.query({ ...query, ...limit });
        return rows as Row[];
      } catch (error) {
        // Asked late, given up early: that says nothing of the server.
        const isEarly = isSilence(error) && systemClock.monotonic() - asked < silentMs;
        throw isEarly ? new StoreUnavailable("PostgreSQL took too long", { cause: error }) : error;
      }
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

  function part({ places, placesOfOne = places }: PartSize): Connections {
    const taking = new Places({ places, placesOfOne, timers: systemTimers });

    async function inPlace<T>(name: string, work: (session: Session) => Promise<T>): Promise<T> {
      const deadline = deadlineMs === 0 ? Infinity : systemClock.monotonic() + deadlineMs;
      const giveBack = await taking.take(name, deadlineMs || Infinity);
      try {
        return await withClient(deadline, work);
      } finally {
        giveBack();
      }
    }

    return {
      query: (query, name = "") => inPlace(name, ({ commit }) => commit(query)),
      transaction: (work, name = "") => inPlace(name, (session) => inTransaction(session, work)),
    };
  }

  let ended: Promise<void> | undefined;
  return {
    ...part({ places: max }),
    part,
    close: () => (ended ??= pool.end()),
  };
}

async function inTransaction<T>(
  { run, commit }: Session,
  work: (run: Run) => Promise<T>,
): Promise<T> {
  await run({ name: "", text: "BEGIN" });
  let result;
  try {
    result = await work(run);
  } catch (error) {
    // One that is dropped is rolled back by that, and must not be waited for once more.
    if (!breaksConnection(error)) await run({ name: "", text: "ROLLBACK" });
    throw error;
  }
  await commit({ name: "", text: "COMMIT" });
  return result;
}

/** Statements on one connection, within what is left of one call's time. */
interface Session {
  readonly run: Run;
  readonly commit: Run;
}
