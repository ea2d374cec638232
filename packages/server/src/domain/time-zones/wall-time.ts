import { dayMs } from "../calendar.ts";
import type { Instant } from "../instant.ts";
import { formatTime } from "../times.ts";
import type { Stretch } from "./stretch.ts";
import type { Zone } from "./time-zone.ts";

/**
 * What clocks and calendars on the wall show, as the milliseconds of the instant at which clocks in UTC
 * show the same.
 */
export type WallTime = number;

export function wallTimeAt(time: Instant, zone: Zone): WallTime {
  return time + zone.offsetMsAt(time);
}

/** The instant of a wall time. Where clocks change, there may be none or two. */
export interface ClockReading {
  readonly time: Instant;
  readonly change:
    | null
    /** Clocks skip the wall time. The instant is the end of the gap. */
    | { readonly kind: "gap"; readonly from: WallTime; readonly to: WallTime }
    /** Clocks show the wall time twice. The instant is the first one. */
    | { readonly kind: "fold"; readonly second: Instant };
}

/** In a gap and in a fold, this chooses as recurring schedules do. */
export function readClock(wallTime: WallTime, zone: Zone): ClockReading {
  // No zone is more than a day ahead of UTC or behind it.
  const latest = wallTime + dayMs;
  let stretch = zone.stretchAt(wallTime - dayMs);
  if (stretch.until > latest) return { time: wallTime - stretch.offsetMs, change: null };
  let first: Instant | undefined;
  for (
    let before: Stretch | undefined;
    ;
    before = stretch, stretch = zone.stretchAt(stretch.until)
  ) {
    const time = wallTime - stretch.offsetMs;
    if (time >= stretch.from && time < stretch.until) {
      if (first !== undefined) return { time: first, change: { kind: "fold", second: time } };
      first = time;
    }
    if (first === undefined && before !== undefined && time < stretch.from) {
      const [from, to] = [stretch.from + before.offsetMs, stretch.from + stretch.offsetMs];
      return { time: stretch.from, change: { kind: "gap", from, to } };
    }
    if (stretch.until > latest) return { time: first!, change: null };
  }
}

/** `2027-01-01T09:00:00`: without an offset, and without milliseconds if they are zero. */
export function wallText(wallTime: WallTime): string {
  return formatTime(wallTime)
    .slice(0, -1)
    .replace(/\.000$/, "");
}

/** `+05:30`; with seconds for the time before standard time. */
export function offsetText(offsetMs: number): string {
  const seconds = Math.abs(offsetMs) / 1_000;
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  if (seconds % 60 !== 0) parts.push(seconds % 60);
  return (offsetMs < 0 ? "-" : "+") + parts.map((part) => String(part).padStart(2, "0")).join(":");
}
