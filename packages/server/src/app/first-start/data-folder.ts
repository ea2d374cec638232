import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { checkFolderIsOurs } from "../../platform/secret-files.ts";

/** Makes the data folder, readable for its owner alone, or checks that the one there is ours. */
export function makeDataFolder(path: string): void {
  if (existsSync(path)) checkFolderIsOurs(path);
  else makeFolder(path);
}

/**
 * With the folders above it. One level at a time: where a folder cannot exist (below /proc, say)
 * `recursive` would try for ever.
 */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  mkdirSync(path, { mode: 0o700 });
}
