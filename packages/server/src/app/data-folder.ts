import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes the data folder, readable for its owner alone, and the folders above it. One level at a time:
 * where a folder cannot exist (below /proc, say) `recursive` would try for ever.
 */
export function makeDataFolder(path: string): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeDataFolder(parent);
  mkdirSync(path, { mode: 0o700 });
}
