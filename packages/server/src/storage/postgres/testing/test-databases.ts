import pg from "pg";
import { afterAll, beforeAll } from "vitest";
import { startPostgres } from "./start-postgres.ts";

export interface TestDatabase {
  readonly url: string;
  /** Resolves once the query, which counts something, has counted so many. */
  whenCounted(sql: string, count: number): Promise<void>;
  drop(): Promise<void>;
}

/**
 * Real databases: on the server at `TEST_POSTGRES_URL`, or else on one that is started here for this
 * test file alone.
 */
export function testDatabases(): (properties?: string) => Promise<TestDatabase> {
  let serverUrl = process.env["TEST_POSTGRES_URL"];
  let stop = async (): Promise<void> => {};
  let made = 0;

  beforeAll(async () => {
    if (serverUrl === undefined) {
      const started = await startPostgres({ fsync: "off" });
      serverUrl = started.url;
      stop = () => started.stop();
    }
  }, 120_000);
  afterAll(() => stop());

  const admin = (sql: string) => withClient(serverUrl!, (client) => client.query(sql));
  return async (properties = "") => {
    const name = `postdate_test_${process.pid}_${made++}`;
    await admin(`CREATE DATABASE ${name} ${properties}`);
    const url = new URL(serverUrl!);
    url.pathname = name;
    const counting = new Set<Promise<unknown>>();
    const dropping = new AbortController();
    const count = (sql: string, wanted: number): Promise<void> =>
      withClient(url.href, async (client) => {
        while (!dropping.signal.aborted) {
          const { rows } = await client.query<{ count: number }>(sql);
          if (rows[0]?.count === wanted) return;
        }
        throw new Error(`The database was dropped before there were ${wanted} of ${sql}`);
      });
    return {
      url: url.href,
      async whenCounted(sql, wanted) {
        const counted = count(sql, wanted);
        counting.add(counted);
        await counted;
      },
      async drop() {
        dropping.abort();
        await Promise.allSettled(counting);
        await admin(`DROP DATABASE ${name} WITH (FORCE)`);
      },
    };
  };
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
