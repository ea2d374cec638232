import type { Instant } from "../../instant.ts";
import type { Job, JobCursor, JobFilter } from "../../job.ts";
import { scheduleIdIn, scheduleText } from "../../message-options.ts";
import type { Schedule } from "../schedule.ts";
import type { BackfillSpan } from "./backfilled.ts";

/** The schedule whose runs a backfill makes. */
export function backfilledSchedule({ accountId, filter }: Pick<Job, "accountId" | "filter">) {
  return { accountId, scheduleId: scheduleIdIn(filter.labels)! };
}

/** Whether it is the schedule that the job was created for. One that was created again is another. */
export function isForSchedule(
  { creationTime }: Pick<Job, "creationTime">,
  schedule: Pick<Schedule, "creationTime"> | undefined,
): boolean {
  return schedule !== undefined && schedule.creationTime <= creationTime;
}

/** The run times that are left to the job. */
export function spanLeft({ filter, progress }: Pick<Job, "filter" | "progress">): BackfillSpan {
  const { cursor } = progress;
  return { from: cursor === null ? filter.minTime! : cursor.time! + 1, until: filter.maxTime! };
}

/** The place of a backfill that has looked up to this run time; null: it is at its end. */
export function placeAt(lookedUntil: Instant | null): JobCursor | null {
  return lookedUntil === null ? null : { time: lookedUntil, messageId: "" };
}

/** The target is the schedule's, so that no other job works on it. */
export function backfillFilter(
  { scheduleId, targetId }: Pick<Schedule, "scheduleId" | "targetId">,
  { from, until }: BackfillSpan,
): JobFilter {
  return {
    ...{ targetId, labels: [scheduleText(scheduleId)], minTime: from, maxTime: until },
    ...{ keyPrefix: null, deadLetterReason: null, lastStatusCode: null },
  };
}
