import type { MakeLocation } from "../conformance/harness.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describeStore } from "../conformance/store-conformance.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";

const makeLocation: MakeLocation = async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "postdate-"));
  return {
    open: (options) => openSqliteStore({ dataDir, ...options }),
    // Calls reach the store's thread in the order in which they are made, if all fit one batch.
    whenWaiting: (store) => store.ping(),
    countAttempts: async () => countAttempts(dataDir),
    remove: () => rm(dataDir, { recursive: true }),
  };
};

function countAttempts(dataDir: string): number {
  using db = new DatabaseSync(join(dataDir, "postdate.db"), { readOnly: true });
  return db.prepare("SELECT count(*) AS count FROM attempts").get()!["count"] as number;
}

describeStore("sqlite", makeLocation, { shared: false });
