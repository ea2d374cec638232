import type { Instant } from "../instant.ts";
import type { Zone } from "./time-zone.ts";

export interface ClockChange {
  readonly time: Instant;
  readonly beforeMs: number;
  readonly afterMs: number;
}

/** When clocks change next, after one instant and before another. Undefined if they do not. */
export function nextClockChange(
  zone: Zone,
  after: Instant,
  before: Instant,
): ClockChange | undefined {
  let stretch = zone.stretchAt(after);
  while (stretch.until < before) {
    const next = zone.stretchAt(stretch.until);
    if (next.offsetMs !== stretch.offsetMs) {
      return { time: next.from, beforeMs: stretch.offsetMs, afterMs: next.offsetMs };
    }
    stretch = next;
  }
  return undefined;
}
