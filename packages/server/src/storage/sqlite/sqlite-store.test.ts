import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeStore } from "../conformance/store-conformance.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";

describeStore("sqlite", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "postdate-"));
  return {
    open: (options) => openSqliteStore({ dataDir, ...options }),
    remove: () => rm(dataDir, { recursive: true }),
  };
});
