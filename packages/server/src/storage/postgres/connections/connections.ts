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

/**
 * When connections are short, calls take turns by name: the id of an account, or the name of work
 * that no account asks for. Every call gives its name, because calls without one would wait behind
 * each other, whoever makes them.
 */
export interface SharedConnections {
  readonly query: (query: Query, name: string) => Promise<Row[]>;
  /** Runs the work in one transaction. An error from the work undoes all of it. */
  readonly transaction: <T>(work: (run: Run) => Promise<T>, name: string) => Promise<T>;
}

/** Connections that have a name for calls that give none. */
export interface Connections {
  readonly query: (query: Query, name?: string) => Promise<Row[]>;
  readonly transaction: <T>(work: (run: Run) => Promise<T>, name?: string) => Promise<T>;
}

export interface OpenConnections extends Connections {
  /** How many calls wait for a connection. */
  waiting(): number;
  /**
   * Sets some of the connections aside, for calls that must not wait for those of another part. All
   * parts together must not exceed the number of connections.
   */
  part(size: PartSize): SharedConnections;
  close(): Promise<void>;
}

export interface PartSize {
  readonly places: number;
  /** The most places for calls of one name; left out: all. */
  readonly placesOfOne?: number;
}

/** The name of work that no account asks for. No account has such an id. */
export function nameOfWork(work: string): string {
  return `(${work})`;
}

/** The same connections, for calls of this work unless they give another name. */
export function forWork(work: string, connections: SharedConnections): Connections {
  const name = nameOfWork(work);
  return {
    query: (query, other = name) => connections.query(query, other),
    transaction: (work, other = name) => connections.transaction(work, other),
  };
}

export interface Query {
  /** A named statement is prepared once for each connection. */
  readonly name: string;
  readonly text: string;
  readonly values?: unknown[];
}

/** Sends a statement, within a transaction or alone. */
export type Run = (query: Query) => Promise<Row[]>;

// Each query knows what its rows hold.
// oxlint-disable-next-line typescript/no-explicit-any
export type Row = Record<string, any>;

const bigintOid = 20;

/** Milliseconds and counters fit a double exactly. */
const types = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === bigintOid ? Number : (pg.types.getTypeParser(oid, format) as unknown),
};

/** A plan lives as long as its connection. A new connection plans for tables that have grown. */
const maxLifetimeSeconds = 60;

const slowestConnectMs = 8_000;

/** The driver abandons a login that it cannot make, but leaves its socket open. */
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
   * The longest a call may take, from waiting for a connection to its commit. After that the call
   * fails as unavailable. 0: no limit.
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
  /** Connections on which the server has sent a warning since the last statement. */
  const warned = new WeakSet<ClientBase>();
  const pool = makePool();

  function makePool(): pg.Pool {
    const made = new pg.Pool({
      Client: ClosingClient,
      // The pool waits for it, although its types do not say so.
      // oxlint-disable-next-line typescript/no-misused-promises
      onConnect: settingSession(deadlineMs),
      connectionString: databaseUrl,
      max,
      types: types,
      maxLifetimeSeconds,
      connectionTimeoutMillis: deadlineMs || slowestConnectMs,
      application_name: "postdate",
    });
    // The pool drops an idle connection that breaks. No call needs to know.
    made.on("error", () => {});
    made.on("connect", (client) => {
      generationOf.set(client, generation);
      // If the connection breaks between two statements of a transaction, the next statement fails.
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

  /** A connection that comes too late goes back to the pool for the next call. */
  function connectInTime(deadline: number): Promise<PoolClient> {
    const connecting = pool.connect();
    if (deadline === Infinity) return connecting;
    return new Promise((resolve, reject) => {
      let isLate = false;
      const timer = systemTimers.after(deadline - systemClock.monotonic(), () => {
        isLate = true;
        reject(new StoreUnavailable("PostgreSQL did not accept a connection in time"));
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
      // The other connections would meet the same trouble, so all are dropped.
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
      // The driver's time limit, not the server's: a statement that waits for a synchronous standby
      // must never be cancelled, because it would then look committed. The connection is dropped
      // instead.
      const limit = deadline === Infinity ? {} : { query_timeout: remainingMs };
      const asked = systemClock.monotonic();
      try {
        const { rows } = await client.query({ ...query, ...limit });
        return rows as Row[];
      } catch (error) {
        // The statement began late and had little time, so its silence says nothing about the
        // server.
        const isEarly = isSilence(error) && systemClock.monotonic() - asked < silentMs;
        throw isEarly ? new StoreUnavailable("PostgreSQL took too long", { cause: error }) : error;
      }
    };
    return {
      run,
      /**
       * A warning at a commit means that it is not as durable as it must be: it is not
       * acknowledged.
       */
      async commit(query) {
        warned.delete(client);
        const rows = await run(query);
        if (warned.has(client))
          throw new StoreUnavailable("PostgreSQL sent a warning with the commit");
        return rows;
      },
    };
  }

  const allPlaces: Places[] = [];

  function part({ places, placesOfOne = places }: PartSize): SharedConnections {
    const taking = new Places({ places, placesOfOne, timers: systemTimers });
    allPlaces.push(taking);

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
      query: (query, name) => inPlace(name, ({ commit }) => commit(query)),
      transaction: (work, name) => inPlace(name, (session) => inTransaction(session, work)),
    };
  }

  let ended: Promise<void> | undefined;
  return {
    ...forWork("any", part({ places: max })),
    part,
    waiting: () => allPlaces.reduce((count, { waiting }) => count + waiting, 0),
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
    // The database rolls back a dropped connection. This call must not wait for it again.
    if (!breaksConnection(error)) await run({ name: "", text: "ROLLBACK" });
    throw error;
  }
  await commit({ name: "", text: "COMMIT" });
  return result;
}

/** Statements on one connection, within the time that one call has left. */
interface Session {
  readonly run: Run;
  readonly commit: Run;
}
