import type { Zone } from "./zone.ts";

/**
 * What clocks and calendars on the wall show, as the milliseconds of the instant at which clocks in UTC
 * show the same.
 */
export type WallTime = number;

export function wallTimeAt(time: number, zone: Zone): WallTime {
  return time + zone.offsetMsAt(time);
}

/** The instant of a wall time. Where clocks change, there may be none or two. */
export interface ClockReading {
  readonly time: number;
  readonly change:
    | null
    /** Clocks skip the wall time. The instant is the end of the gap. */
    | { readonly kind: "gap"; readonly from: WallTime; readonly to: WallTime }
    /** Clocks show the wall time twice. The instant is the first one. */
    | { readonly kind: "fold"; readonly second: number };
}

const dayMs = 86_400_000;

/** In a gap and in a fold, this chooses as recurring schedules do. */
export function readClock(wallTime: WallTime, zone: Zone): ClockReading {
  // No zone is more than a day ahead of UTC or behind it, and none changes twice within two days.
  const before = zone.offsetMsAt(wallTime - dayMs);
  const after = zone.offsetMsAt(wallTime + dayMs);
  const [first, second] = [...new Set([before, after])]
    .map((offsetMs) => wallTime - offsetMs)
    .filter((time) => wallTimeAt(time, zone) === wallTime)
    .toSorted((a, b) => a - b);
  if (first === undefined) {
    const time = changeBetween(wallTime - after, wallTime - before, zone);
    return { time, change: { kind: "gap", from: time + before, to: time + after } };
  }
  return { time: first, change: second === undefined ? null : { kind: "fold", second } };
}

/** The first instant at which the offset of `early` no longer holds. */
function changeBetween(early: number, late: number, zone: Zone): number {
  const offsetMs = zone.offsetMsAt(early);
  let [low, high] = [early, late];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (zone.offsetMsAt(middle) === offsetMs) low = middle;
    else high = middle;
  }
  return high;
}
