import type { TestProject } from "vitest/node";
import { openDesk } from "../../../platform/testing/open-desk.ts";
import { startPostgres } from "./start-postgres.ts";

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

/** One PostgreSQL for a whole test run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const desk = await openDesk(() => startPostgres(settings));
  project.provide("postgresDesk", desk.url);
  return () => desk.close();
}
