import { dayMs } from "../../calendar.ts";
import type { Instant } from "../../instant.ts";
import type { Zone } from "../../time-zones/time-zone.ts";
import type { Effort } from "./effort.ts";
import type { NextNamed } from "./fixed-times.ts";
import { occurrenceAt } from "./occurrence.ts";
import type { Occurrence } from "./occurrence.ts";

export interface ElapsedOptions {
  readonly next: NextNamed;
  readonly zone: Zone;
  readonly effort: Effort;
}

/**
 * Every instant at which clocks show a time that is named. It walks over stretches in which clocks do not
 * change.
 */
export function* elapsedTimes(
  { next, zone, effort }: ElapsedOptions,
  begin: Instant,
  end: Instant,
): Generator<Occurrence, void, undefined> {
  let time = begin;
  while (time <= end && effort.spend()) {
    const { until, offsetMs } = zone.stretchAt(time);
    const named = next(time + offsetMs) ?? Infinity;
    if (named - offsetMs < until) {
      yield occurrenceAt(named - offsetMs, zone);
      time = named - offsetMs + 1;
      continue;
    }
    // After a change, clocks may show again what they have shown, but nothing from more than two days before.
    // No zone is more than a day ahead of UTC, so nothing comes earlier than a day before the named time.
    const repeatsNothing = until - time >= 2 * dayMs;
    time = repeatsNothing ? Math.max(until, named - dayMs) : until;
  }
}
