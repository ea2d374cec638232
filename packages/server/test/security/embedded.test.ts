import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { securitySuite } from "./security-suite.ts";

securitySuite({
  prepare: async () => ({}),
  async dump({ dataDir }) {
    const files = (await readdir(dataDir)).filter((name) => name.includes(".db"));
    return Buffer.concat(await Promise.all(files.map((name) => readFile(join(dataDir, name)))));
  },
});
