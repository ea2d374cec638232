import type { Instant } from "../../instant.ts";
import { readClock } from "../../time-zones/wall-time.ts";
import type { WallTime } from "../../time-zones/wall-time.ts";
import type { Zone } from "../../time-zones/time-zone.ts";

/** One instant at which a schedule is due, and what the clocks of its zone show then. */
export interface Occurrence {
  readonly time: Instant;
  readonly wallTime: WallTime;
  readonly offsetMs: number;
  readonly mark: Mark;
}

/**
 * `gap`: the schedule names a time that clocks skip, and this is the end of the gap. `fold`: clocks show this
 * time twice; the offset tells which one it is.
 */
export type Mark = "gap" | "fold" | null;

export function occurrenceAt(time: Instant, zone: Zone, isGap = false): Occurrence {
  const offsetMs = zone.offsetMsAt(time);
  const wallTime = time + offsetMs;
  const isFold = readClock(wallTime, zone).change?.kind === "fold";
  return { time, wallTime, offsetMs, mark: isGap ? "gap" : isFold ? "fold" : null };
}
