import type { Mark, Occurrence } from "../../domain/schedules/occurrences/occurrence.ts";
import { formatTime } from "../../domain/times.ts";
import { offsetText, wallText } from "../../domain/time-zones/wall-time.ts";

/** An occurrence as callers see it. */
export interface OccurrenceView {
  readonly time: string;
  readonly localTime: string;
  readonly offset: string;
  readonly mark: Mark;
}

export function viewOccurrence({ time, wallTime, offsetMs, mark }: Occurrence): OccurrenceView {
  return {
    time: formatTime(time),
    localTime: wallText(wallTime),
    offset: offsetText(offsetMs),
    mark,
  };
}
