import type { Instant } from "../instant.ts";

/** A time in which clocks do not change: from the one instant until before the other. */
export interface Stretch {
  readonly from: Instant;
  readonly until: Instant;
  /** How far clocks are ahead of UTC. */
  readonly offsetMs: number;
}

type ReadOffset = (time: Instant) => number;

/**
 * The stretches of a time in which clocks change once at most. If they change to another offset and on to a
 * third, it finds both.
 */
export function stretchesBetween(
  from: Instant,
  until: Instant,
  offsetMsAt: ReadOffset,
): readonly Stretch[] {
  const offsetMs = offsetMsAt(from);
  if (offsetMsAt(until - 1) === offsetMs) return [{ from, until, offsetMs }];
  const change = changeBetween(from, until - 1, offsetMsAt);
  return [{ from, until: change, offsetMs }, ...stretchesBetween(change, until, offsetMsAt)];
}

/** The first instant at which the offset of `early` no longer holds. */
function changeBetween(early: Instant, late: Instant, offsetMsAt: ReadOffset): Instant {
  const offsetMs = offsetMsAt(early);
  let [low, high] = [early, late];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetMsAt(middle) === offsetMs) low = middle;
    else high = middle;
  }
  return high;
}
