import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, inject } from "vitest";
import { askDesk } from "../../../platform/testing/open-desk.ts";
import type { Started } from "../../../platform/testing/open-desk.ts";
import { startPostgres } from "./start-postgres.ts";

export interface TestDatabase {
  readonly url: string;
  /** Resolves once the query, which counts something, answers with this count. */
  whenCounted(sql: string, count: number): Promise<void>;
  drop(): Promise<void>;
}

/**
 * Real databases: on the server at `TEST_POSTGRES_URL`, otherwise on the one that all files of this
 * run share, otherwise on one started for this test file alone.
 */
export function testDatabases(): (properties?: string) => Promise<TestDatabase> {
  let server: Started;
  const left = new Set<string>();

  beforeAll(async () => {
    server = await findPostgres();
  }, 120_000);
  afterAll(async () => {
    for (const name of left) await admin(`DROP DATABASE ${name} WITH (FORCE)`);
    await server.stop();
  });

  const admin = (sql: string) => withClient(server.url, (client) => client.query(sql));
  return async (properties = "") => {
    const name = `postdate_test_${randomBytes(8).toString("hex")}`;
    await admin(`CREATE DATABASE ${name} ${properties}`);
    left.add(name);
    const url = new URL(server.url);
    url.pathname = name;
    const counting = new Set<Promise<unknown>>();
    const dropping = new AbortController();
    const count = (sql: string, wanted: number): Promise<void> =>
      withClient(url.href, async (client) => {
        while (!dropping.signal.aborted) {
          const { rows } = await client.query<{ count: number }>(sql);
          if (rows[0]?.count === wanted) return;
        }
        throw new Error(`The database was dropped before this counted ${wanted}: ${sql}`);
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
        left.delete(name);
      },
    };
  };
}

async function findPostgres(): Promise<Started> {
  const stop = async (): Promise<void> => {};
  const given = process.env["TEST_POSTGRES_URL"];
  if (given !== undefined) return { url: given, stop };
  const desk = inject("postgresDesk");
  if (desk === undefined) return startPostgres({ fsync: "off" });
  return { url: await askDesk(desk), stop };
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
