import type { AdvancedSchedules, ScheduleRef } from "../../storage/schedule-store.ts";

/** Hears what happens to recurring schedules on this node, for the metrics and the log. */
export interface ScheduleObserver {
  /** This node has looked at the schedules that are to go on, and made their runs. */
  schedulesAdvanced(made: Pick<AdvancedSchedules, "advanced" | "runs">): void;
  /** This node has asked the store when the next schedule is to go on: in so long, or null without any. */
  nextScheduleKnown(inMs: number | null): void;
  /** Too many runs of these became dead letters in a row. */
  schedulesPaused(schedules: readonly ScheduleRef[]): void;
  trouble(error: unknown, doing: string): void;
}
