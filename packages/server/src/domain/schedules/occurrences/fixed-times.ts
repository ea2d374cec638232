import type { Instant } from "../../instant.ts";
import type { Zone } from "../../time-zones/time-zone.ts";
import { readClock, wallTimeAt } from "../../time-zones/wall-time.ts";
import type { WallTime } from "../../time-zones/wall-time.ts";
import { occurrenceAt } from "./occurrence.ts";
import type { Occurrence } from "./occurrence.ts";

/** The first wall time that is named, from this one on. */
export type NextNamed = (from: WallTime) => WallTime | undefined;

/**
 * Each time that is named comes once. Those that clocks skip come together, at the end of the gap. One that
 * clocks show twice comes the first time.
 */
export function* fixedTimes(
  next: NextNamed,
  zone: Zone,
  begin: Instant,
): Generator<Occurrence, void, undefined> {
  // If a gap ends at the beginning, the times in it count.
  let named = next(wallTimeAt(begin - 1, zone));
  while (named !== undefined) {
    const { time, change } = readClock(named, zone);
    const isGap = change?.kind === "gap";
    // What the gap ends with may be named too: it is the same occurrence.
    named = next(isGap ? change.to + 1 : named + 1);
    if (time >= begin) yield occurrenceAt(time, zone, isGap);
  }
}
