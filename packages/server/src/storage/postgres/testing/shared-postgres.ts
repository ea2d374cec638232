import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import { startPostgres } from "./start-postgres.ts";
import type { StartedPostgres } from "./start-postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The URL that answers with the address of the PostgreSQL that all files of this run share. */
    readonly postgresDesk?: string;
  }
}

/** Many files run at once, and some open several stores with a pool each. */
const settings = {
  fsync: "off",
  full_page_writes: "off",
  autovacuum: "off",
  max_connections: "500",
};

/** Starts one PostgreSQL for a whole test run, when the first file asks for it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let started: Promise<StartedPostgres> | undefined;
  const desk = createServer((_, response) => {
    started ??= startPostgres(settings);
    started.then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await once(desk.listen(0, "127.0.0.1"), "listening");
  project.provide("postgresDesk", `http://127.0.0.1:${(desk.address() as AddressInfo).port}`);
  return async () => {
    desk.close();
    desk.closeAllConnections();
    await (await started?.catch(() => undefined))?.stop();
  };
}
