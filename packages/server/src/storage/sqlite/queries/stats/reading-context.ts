import type { DatabaseSync } from "node:sqlite";
import type { Clock } from "../../../../platform/clock.ts";

/** What queries need that read over a connection of their own. */
export interface ReadingContext {
  readonly db: DatabaseSync;
  readonly clock: Clock;
}

/**
 * How long one look may go on. The log of the database cannot restart before it has ended. The last statement of
 * a look begins before this time and takes a few milliseconds.
 */
const longestMs = 12;

/** Begins now. Answers whether it is over. */
export function beginLook({ clock }: Pick<ReadingContext, "clock">): () => boolean {
  const until = clock.monotonic() + longestMs;
  return () => clock.monotonic() >= until;
}
