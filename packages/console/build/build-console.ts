import { randomUUID } from "node:crypto";
import { globSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "vite";
import { builtFolder, sourceStamp } from "./source-stamp.js";

/**
 * Builds the console into the server's package. The new folder takes the place of the old one at once, so a server
 * that reads files meanwhile, or a second build, never sees half of one.
 */
// Whoever starts this, a test for example, may have set another one, and React would come with its development tools.
process.env["NODE_ENV"] = "production";
const root = join(import.meta.dirname, "..");
const stamp = sourceStamp();
const made = `${builtFolder}-${randomUUID()}`;

try {
  await build({
    root,
    configFile: join(root, "vite.config.ts"),
    logLevel: "warn",
    build: { outDir: made },
  });
  compressFiles(made);
  writeFileSync(join(made, "sources"), stamp);
  takePlace(made);
} finally {
  rmSync(made, { recursive: true, force: true });
}

/** The page itself is different each time, so nobody can compress it in advance. */
function compressFiles(folder: string): void {
  for (const name of globSync("assets/*.{js,css,svg}", { cwd: folder })) {
    const path = join(folder, name);
    const bytes = readFileSync(path);
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
  }
}

function takePlace(folder: string): void {
  const old = `${builtFolder}-${randomUUID()}`;
  try {
    renameSync(builtFolder, old);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  renameSync(folder, builtFolder);
  rmSync(old, { recursive: true, force: true });
}
