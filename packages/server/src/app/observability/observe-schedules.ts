import { runOutcomes } from "../../domain/schedules/run.ts";
import type { ScheduleObserver } from "../../engine/schedules/schedule-observer.ts";
import type { Logger } from "../../platform/logger.ts";
import type { Metrics } from "./metrics.ts";

type ScheduleMetrics = Pick<
  Metrics,
  "schedulesAdvanced" | "scheduleRuns" | "scheduleLag" | "schedulesPaused"
>;

/** Counts the runs of recurring schedules, and logs schedules that pause themselves. */
export function observeSchedules(
  metrics: ScheduleMetrics,
  logger: Pick<Logger, "warn">,
): Omit<ScheduleObserver, "trouble"> {
  return {
    schedulesAdvanced({ advanced, runs }) {
      metrics.schedulesAdvanced.inc(advanced);
      for (const outcome of runOutcomes) metrics.scheduleRuns.add(outcome, runs[outcome]);
    },
    nextScheduleKnown: (inMs) => metrics.scheduleLag.dueIn(inMs),
    schedulesPaused(schedules) {
      metrics.schedulesPaused.inc(schedules.length);
      for (const { accountId, scheduleId } of schedules) {
        logger.warn({ accountId, scheduleId }, "schedule paused after dead letters");
      }
    },
  };
}
