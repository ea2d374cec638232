import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** A bug that a test puts into a server on purpose. The tests must notice it. */
export interface SeededBug {
  /** Relative to the server's folder. */
  readonly file: string;
  /** The source text, and the text that replaces it. */
  readonly from: string;
  readonly to: string;
}

/** The environment of a server process with these bugs. The source itself does not change. */
export function envWith(...bugs: readonly SeededBug[]): Record<string, string> {
  const preload = pathToFileURL(join(import.meta.dirname, "change-source.ts"));
  return { NODE_OPTIONS: `--import=${preload.href}`, SEEDED_BUG: JSON.stringify(bugs) };
}
