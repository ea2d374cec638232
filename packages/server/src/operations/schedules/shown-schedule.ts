import type { Instant } from "../../domain/message.ts";
import type { ScheduleView } from "../../storage/store.ts";

/**
 * A schedule that nobody has changed just now, as callers see it. A time that was called off stays with the schedule until
 * its next step, which may be long after that time.
 */
export function shownSchedule(schedule: ScheduleView, now: Instant): ScheduleView {
  const { cursor } = schedule.progress;
  const skips = schedule.skips.filter((time) => time > now || time > cursor);
  return { ...schedule, skips };
}
