import type { MakeLocation } from "../conformance/harness.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeStore } from "../conformance/store-conformance.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";

const makeLocation: MakeLocation = async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "postdate-"));
  return {
    open: (options) => openSqliteStore({ dataDir, ...options }),
    // Calls reach the store's thread in the order in which they are made, if all fit one batch.
    whenWaiting: (store) => store.ping(),
    remove: () => rm(dataDir, { recursive: true }),
  };
};

describeStore("sqlite", makeLocation, { shared: false });
