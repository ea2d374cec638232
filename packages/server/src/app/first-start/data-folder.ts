import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { checkFolderIsOurs } from "../../platform/secret-files.ts";

/** Makes the data folder, readable only by its owner, or checks that the existing one is ours. */
export function makeDataFolder(path: string): void {
  if (existsSync(path)) checkFolderIsOurs(path);
  else makeFolder(path);
}

/**
 * Also makes the folders above it, one level at a time. Where a folder cannot exist (below /proc, for
 * example), `recursive` would try for ever.
 */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  mkdirSync(path, { mode: 0o700 });
}
