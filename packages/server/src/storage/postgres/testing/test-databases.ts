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
  }, 60_000);
  afterAll(() => stop());

  const admin = async (sql: string): Promise<void> => {
    const client = new pg.Client({ connectionString: serverUrl! });
    await client.connect();
    await client.query(sql);
    await client.end();
  };
  return async (properties = "") => {
    const name = `postdate_test_${process.pid}_${made++}`;
    await admin(`CREATE DATABASE ${name} ${properties}`);
    const url = new URL(serverUrl!);
    url.pathname = name;
    return {
      url: url.href,
      async whenCounted(sql, count) {
        const client = new pg.Client({ connectionString: url.href });
        await client.connect();
        for (;;) {
          const { rows } = await client.query<{ count: number }>(sql);
          if (rows[0]?.count === count) break;
        }
        await client.end();
      },
      drop: () => admin(`DROP DATABASE ${name} WITH (FORCE)`),
    };
  };
}
