import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { build } from "rolldown";
import config from "../../rolldown.config.ts";

const packages = join(import.meta.dirname, "../../..");
const server = join(packages, "server");
// Beside the dependencies, so that the built files find them.
const kept = join(packages, "../node_modules/.cache/postdate-built");

/**
 * Builds the package as it is published, unless this source is built already. Tests start processes and threads from
 * it: from the source, each of a thousand starts would read hundreds of files. Answers with its folder.
 */
export async function buildForTests(): Promise<string> {
  const folder = join(kept, fingerprintOfSource());
  if (existsSync(folder)) return folder;
  mkdirSync(kept, { recursive: true });
  removeOldBuilds();
  const making = `${folder}.${process.pid}`;
  await build({
    ...config,
    cwd: server,
    logLevel: "silent",
    output: outputTo(join(making, "dist")),
  });
  cpSync(join(server, "bin"), join(making, "bin"), { recursive: true });
  cpSync(join(server, "package.json"), join(making, "package.json"));
  // Only some tests need the console, and build it when they do.
  symlinkSync(join(server, "dist-console"), join(making, "dist-console"));
  // Another run may have been quicker.
  if (existsSync(folder)) rmSync(making, { recursive: true });
  else renameSync(making, folder);
  return folder;
}

/** Another run may still start processes from a build of other source. None lasts for so long. */
function removeOldBuilds(): void {
  const old = Date.now() - 6 * 3_600_000;
  for (const name of readdirSync(kept)) {
    const path = join(kept, name);
    if (statSync(path).mtimeMs < old) rmSync(path, { recursive: true, force: true });
  }
}

function outputTo(dir: string) {
  return { ...(Array.isArray(config.output) ? config.output[0] : config.output), dir };
}

function fingerprintOfSource(): string {
  const hash = createHash("sha256");
  const patterns = ["{server,client,contract}/src/**/*", "server/*.{json,ts}", "server/bin/*"];
  for (const file of globSync(patterns, { cwd: packages }).toSorted()) {
    const { mtimeMs, size } = statSync(join(packages, file));
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  return hash.digest("hex").slice(0, 16);
}
