import { dayMs } from "../../calendar.ts";
import type { Instant } from "../../instant.ts";
import type { Zone } from "../../time-zones/time-zone.ts";
import { readClock } from "../../time-zones/wall-time.ts";
import type { Effort } from "./effort.ts";
import type { Exceptions } from "./exceptions.ts";
import { occurrenceAt } from "./occurrence.ts";
import type { Occurrence } from "./occurrence.ts";

export interface IntervalOptions {
  readonly everyMs: number;
  readonly since: Instant;
  readonly zone: Zone;
  readonly exceptions: Exceptions;
  readonly effort: Effort;
}

/** Instants at equal distances, whatever clocks do. Only what is left out depends on the zone. */
export function* intervalTimes(
  { everyMs, since, zone, exceptions, effort }: IntervalOptions,
  begin: Instant,
  end: Instant,
): Generator<Occurrence, void, undefined> {
  const from = (time: Instant): Instant =>
    since + Math.max(0, Math.ceil((time - since) / everyMs)) * everyMs;
  let time = from(begin);
  while (time <= end && effort.spend()) {
    const occurrence = occurrenceAt(time, zone);
    const day = Math.floor(occurrence.wallTime / dayMs);
    if (exceptions.hasDay(day)) {
      // Where clocks go back at midnight, the next day may have begun before.
      time = from(Math.max(readClock((day + 1) * dayMs, zone).time, time + everyMs));
      continue;
    }
    yield occurrence;
    time += everyMs;
  }
}
