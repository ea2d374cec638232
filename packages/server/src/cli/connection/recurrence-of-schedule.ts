import type { PreviewInput, Schedule } from "@postdate/client";
import { formatTime, parseTime } from "../../domain/times.ts";

/** When a schedule is due, for a preview of it. */
export function recurrenceOfSchedule(schedule: Schedule): PreviewInput {
  const { cron, everyMs, at, timeZone, startTime, endTime, except, creationTime } = schedule;
  return {
    ...{ cron, everyMs, at, timeZone, endTime, except },
    // An interval counts from the creation, unless it has a start.
    startTime: everyMs === null ? startTime : (startTime ?? creationTime),
  };
}

/** A preview has what comes after a time, and not that time itself. */
export function justBefore(time: string): string {
  const parsed = parseTime(time);
  return parsed.ok ? formatTime(parsed.time - 1) : time;
}
