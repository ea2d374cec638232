import type { Instant } from "../../instant.ts";
import type { TimeZones } from "../../time-zones/time-zones.ts";
import { madeAheadMs } from "../limits.ts";
import { recurrenceOf } from "../occurrences/recurrence-of.ts";
import { occurrencesOf } from "../occurrences/occurrences.ts";
import type { Schedule, ScheduleDefinition } from "../schedule.ts";

/**
 * A schedule before its first step, which should follow at once. It is due after `now`. Undefined: it has no
 * occurrence within fifty years.
 */
export function createdSchedule(
  { accountId, scheduleId }: Pick<Schedule, "accountId" | "scheduleId">,
  definition: ScheduleDefinition,
  now: Instant,
  zones: TimeZones,
): Schedule | undefined {
  const recurrence = recurrenceOf({ ...definition, creationTime: now }, zones);
  const first = occurrencesOf(recurrence, now + 1).next().value;
  if (first === undefined) return undefined;
  return {
    ...definition,
    accountId,
    scheduleId,
    revision: 1,
    creationTime: now,
    updateTime: now,
    pause: null,
    skips: [],
    nextRunTime: first.time,
    lastRun: null,
    progress: {
      cursor: now,
      lookTime: first.time - madeAheadMs,
      madeRuns: 0,
      earlierMessageId: null,
      isQueueing: false,
      deadLettersInARow: 0,
    },
  };
}
