import type { Instant } from "../../instant.ts";
import type { TimeZones } from "../../time-zones/time-zones.ts";
import { occurrencesAmong } from "../occurrences/next-occurrence.ts";
import { recurrenceOf } from "../occurrences/recurrence-of.ts";
import type { Schedule } from "../schedule.ts";
import type { Surroundings } from "../steps.ts";
import { isByTime } from "./draft.ts";
import { countedAnew } from "./judged.ts";

/** A schedule as a change meets it: without a pause that has ended, and with all run times to come that are called off. */
export function beforeChange(
  schedule: Schedule,
  surroundings: Surroundings,
  zones: TimeZones,
): Schedule {
  return withEarlierSkips(withoutEndedPause(schedule, surroundings.now), surroundings, zones);
}

/**
 * The time of a skip was over, so only its row knows of it. If the clock was set back it is to come once more, and a
 * change may undo the row.
 */
function withEarlierSkips(
  schedule: Schedule,
  { now, recordedRuns }: Surroundings,
  zones: TimeZones,
): Schedule {
  const { skips } = schedule;
  const forgotten = recordedRuns.filter(
    (run) =>
      run.reason === "REQUESTED" &&
      run.runTime > now &&
      isByTime(run) &&
      !skips.includes(run.runTime),
  );
  if (forgotten.length === 0) return schedule;
  const times = forgotten.map(({ runTime }) => runTime);
  const again = occurrencesAmong(recurrenceOf(schedule, zones), times);
  return { ...schedule, skips: [...skips, ...again].toSorted((a, b) => a - b) };
}

/**
 * A schedule is paused before `until`, and no longer then. What comes afterwards counts, also if nobody looked at
 * the schedule for a while.
 */
export function withoutEndedPause(schedule: Schedule, now: Instant): Schedule {
  const { pause, progress } = schedule;
  if (pause === null || pause.until === null || now < pause.until) return schedule;
  return {
    ...schedule,
    pause: null,
    progress: {
      ...countedAnew(progress),
      cursor: Math.max(progress.cursor, pause.until - 1),
      isQueueing: false,
    },
  };
}
