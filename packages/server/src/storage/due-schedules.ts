import type { ForecastSchedule } from "../domain/schedules/forecast/runs-to-come.ts";
import type { Schedule } from "../domain/schedules/schedule.ts";

/** Those of the schedules that have a run to come, without what does not say when. */
export function dueSchedules(schedules: readonly Schedule[]): ForecastSchedule[] {
  return schedules
    .filter(({ nextRunTime }) => nextRunTime !== null)
    .map((schedule) => {
      const { accountId, scheduleId, cron, everyMs, at, timeZone } = schedule;
      const { startTime, endTime, except, creationTime, maxRuns, flexWindowMs } = schedule;
      const { skips, nextRunTime, progress } = schedule;
      return {
        ...{ accountId, scheduleId, cron, everyMs, at, timeZone },
        ...{ startTime, endTime, except, creationTime, maxRuns, flexWindowMs },
        ...{ skips, nextRunTime, progress },
      };
    });
}
