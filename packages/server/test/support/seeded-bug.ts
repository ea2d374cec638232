import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** A bug that is put into a server on purpose, for the tests that must notice it. */
export interface SeededBug {
  /** Below the server's folder. */
  readonly file: string;
  /** What stands there, and what shall stand there instead. */
  readonly from: string;
  readonly to: string;
}

/** For a server process that shall have the bug; the source itself stays as it is. */
export function envWith(bug: SeededBug): Record<string, string> {
  const preload = pathToFileURL(join(import.meta.dirname, "change-source.ts"));
  return { NODE_OPTIONS: `--import=${preload.href}`, SEEDED_BUG: JSON.stringify(bug) };
}
