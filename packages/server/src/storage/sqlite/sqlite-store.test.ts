import { leftoversSuite } from "../conformance/leftovers-suite.ts";
import type { CountingLocation, Rows } from "../conformance/leftovers-suite.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe } from "vitest";
import { describeStore } from "../conformance/store-conformance.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";

const makeLocation = async (): Promise<CountingLocation> => {
  const dataDir = await mkdtemp(join(tmpdir(), "postdate-"));
  return {
    open: (options) => openSqliteStore({ dataDir, ...options }),
    // Calls reach the store's thread in the order in which they are made, if all fit one batch.
    whenWaiting: (store) => store.ping(),
    countAttempts: async () => countRows(dataDir)["attempts"]!,
    countRows: async () => countRows(dataDir),
    remove: () => rm(dataDir, { recursive: true }),
  };
};

function countRows(dataDir: string): Rows {
  using db = new DatabaseSync(join(dataDir, "postdate.db"), { readOnly: true });
  const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  const counts = tables.map(({ name }) => [
    name as string,
    db.prepare(`SELECT count(*) AS count FROM ${name as string}`).get()!["count"] as number,
  ]);
  return Object.fromEntries(counts) as Rows;
}

describeStore("sqlite", makeLocation, { shared: false });
describe("what is left of targets and accounts", () => leftoversSuite(makeLocation));
