import type { Job, JobFilter } from "../../domain/job.ts";
import { isScheduleText, scheduleIdIn } from "../../domain/message-options.ts";
import { formatTime } from "../../domain/times.ts";
import type { JobPreview } from "../../operations/jobs/preview-job.ts";
import type { BackfillPreview } from "../../operations/schedules/backfill-schedule.ts";
import { timeOrNull, wireMessage } from "./wire-messages.ts";

/** A job as the API shows it, without what only the service needs to go on. */
export function wireJob(job: Job) {
  return {
    jobId: job.jobId,
    action: job.action,
    filter: wireFilter(job.filter),
    deliveryTime: timeOrNull(job.deliveryTime),
    byMs: job.byMs,
    state: job.state,
    matched: job.matched,
    done: job.done,
    skipped: job.skipped,
    failedAgain: job.failedAgain,
    ratePerSecond: job.ratePerSecond,
    maxMessages: job.maxMessages,
    stopAfterFailures: job.stopAfterFailures,
    removesTarget: job.removesTarget,
    note: job.note,
    creationTime: formatTime(job.creationTime),
    endTime: timeOrNull(job.endTime),
    actor: job.actor,
    stopReason: job.stopReason,
  };
}

/** As a caller would give it again: only what is set. */
function wireFilter(filter: JobFilter) {
  const { targetId, minTime, maxTime, labels, keyPrefix, deadLetterReason, lastStatusCode } =
    filter;
  return {
    ...(targetId !== null && { targetId }),
    ...(minTime !== null && { minTime: formatTime(minTime) }),
    ...(maxTime !== null && { maxTime: formatTime(maxTime) }),
    ...wireLabels(labels),
    ...(keyPrefix !== null && { keyPrefix }),
    ...(deadLetterReason !== null && { deadLetterReason }),
    ...(lastStatusCode !== null && { lastStatusCode }),
  };
}

/** Stores know the schedule as one of the labels. */
function wireLabels(texts: readonly string[]) {
  const labels = texts.filter((text) => !isScheduleText(text));
  const scheduleId = scheduleIdIn(texts);
  return {
    ...(labels.length > 0 && { labels: Object.fromEntries(labels.map(nameAndValue)) }),
    ...(scheduleId !== undefined && { scheduleId }),
  };
}

/** A name has no colon. */
function nameAndValue(label: string): [name: string, value: string] {
  const colon = label.indexOf(":");
  return [label.slice(0, colon), label.slice(colon + 1)];
}

export function wireBackfillPreview({ sample, ...counted }: BackfillPreview) {
  return { ...counted, sample: sample.map(formatTime) };
}

export function wirePreview({ sample, ...counted }: JobPreview) {
  return { ...counted, sample: sample.map(wireMessage) };
}
