import type { Instant } from "../../instant.ts";
import type { Schedule, ScheduleProgress } from "../schedule.ts";

/** A run whose message became a dead letter, or was delivered. */
export interface EndedRun {
  readonly runTime: Instant;
  readonly isDeadLetter: boolean;
}

/**
 * The schedule after messages of its runs have ended. It is paused if so many in a row became dead letters: in the order
 * of their run times, whatever the order in which they ended, and after the latest run that was delivered. What it has
 * made by then is delivered.
 */
export function judged(schedule: Schedule, ended: readonly EndedRun[], now: Instant): Schedule {
  let { progress } = schedule;
  let isTooMany = false;
  for (const run of ended.toSorted((one, other) => one.runTime - other.runTime)) {
    progress = afterRun(progress, run);
    isTooMany ||= progress.deadLettersInARow >= (schedule.pauseAfterDeadLetters ?? Infinity);
  }
  if (!isTooMany || schedule.pause !== null) return { ...schedule, progress };
  return {
    ...schedule,
    pause: { time: now, note: null, until: null, reason: "DEAD_LETTERS" },
    nextRunTime: null,
    progress: { ...progress, lookTime: null },
  };
}

/** No more of them are asked for. */
const mostRemembered = 100;

function afterRun(
  progress: ScheduleProgress,
  { runTime, isDeadLetter }: EndedRun,
): ScheduleProgress {
  const { deadLettersInARow, deadRunTimes = [], deliveredRunTime = -Infinity } = progress;
  if (isDeadLetter) {
    if (runTime < deliveredRunTime) return progress;
    return {
      ...progress,
      deadLettersInARow: deadLettersInARow + 1,
      deadRunTimes: [...deadRunTimes, runTime].slice(-mostRemembered),
    };
  }
  if (runTime < deliveredRunTime) return progress;
  const after = deadRunTimes.filter((time) => time > runTime);
  return {
    ...progress,
    deadLettersInARow: after.length,
    deadRunTimes: after,
    deliveredRunTime: runTime,
  };
}

/** What a pause has ended is not counted again. */
export function countedAnew(progress: ScheduleProgress): ScheduleProgress {
  const { deadRunTimes: _, ...others } = progress;
  return { ...others, deadLettersInARow: 0 };
}
