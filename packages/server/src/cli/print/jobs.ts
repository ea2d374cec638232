import type { Job } from "@postdate/client";
import type { Row } from "../target-kinds/target-kind-commands.ts";
import { cardOf } from "../terminal/card.ts";
import type { Style } from "../terminal/colours.ts";
import type { Look } from "../terminal/look.ts";
import { counted } from "../terminal/progress.ts";
import { timeBeside, timeCell } from "../terminal/relative-time.ts";
import { tableOf } from "../terminal/table.ts";
import { actorText } from "./audit.ts";
import { actionText, filterText, many } from "./job-words.ts";

const stateStyles: ReadonlyMap<string, Style> = new Map<Job["state"], Style>([
  ["RUNNING", "cyan"],
  ["PAUSED", "yellow"],
  ["DONE", "green"],
  ["STOPPED", "yellow"],
  ["FAILED", "red"],
]);

const reasons: ReadonlyMap<string, string> = new Map<NonNullable<Job["stopReason"]>, string>([
  ["REQUESTED", "somebody asked for it"],
  ["FAILURES", "too many messages failed again in a row"],
  ["MAX_MESSAGES", "it has met as many messages as it may"],
  ["TARGET_REMOVED", "its target was removed"],
  ["TARGET_HAS_MESSAGES", "its target got new messages, and was not removed"],
  ["SCHEDULE_REMOVED", "its schedule was removed"],
]);

/** Why a job does not run, or ended early; null if there is nothing to say. */
export function stopReasonText({ stopReason }: Pick<Job, "stopReason">): string | null {
  return stopReason === null ? null : (reasons.get(stopReason) ?? stopReason);
}

const removal = ", then remove the target";

/** One job, with a line for each fact. */
export function jobCard(job: Job, look: Look): string {
  const { now } = look;
  const { stopReason, maxMessages, stopAfterFailures, note, endTime } = job;
  const rows: readonly (Row | null)[] = [
    ["Job", job.jobId],
    ["State", stateText(job, look)],
    stopReason && ["Reason", stopReasonText(job)!],
    ["Does", actionText(wanted(job), "messages") + (job.removesTarget ? removal : "")],
    ["Which", filterText(job)],
    [job.action === "backfill" ? "Made" : "Changed", counted(job.done)],
    ["Skipped", skippedText(job) || "none"],
    job.action === "redrive" ? ["Failed again", counted(job.failedAgain)] : null,
    ["Rate", `at most ${counted(job.ratePerSecond)} a second`],
    maxMessages === null ? null : ["Limit", many(maxMessages, "message")],
    stopAfterFailures === null
      ? null
      : ["Pauses", `after ${many(stopAfterFailures, "failure")} in a row`],
    note === null ? null : ["Note", note],
    ["By", actorText(job.actor)],
    ["Created", timeBeside(job.creationTime, now)],
    endTime === null ? null : ["Ended", timeBeside(endTime, now)],
  ];
  return cardOf(
    rows.filter((row) => row !== null),
    look,
  );
}

/** Jobs, one line each. */
export function jobRows(jobs: readonly Job[], look: Look): string {
  const titles = ["JOB", "STATE", "ACTION", "CHANGED", "SKIPPED", "CREATED", "WHICH"];
  const rows = jobs.map((job) => [
    job.jobId,
    stateText(job, look),
    job.action,
    changedText(job),
    counted(skippedCount(job)),
    timeCell(job.creationTime, look.now),
    filterText(job),
  ]);
  return tableOf({ titles, rows, shortenable: ["WHICH"] }, look);
}

function changedText({ done, failedAgain }: Job): string {
  return failedAgain > 0
    ? `${counted(done)} (${counted(failedAgain)} failed again)`
    : counted(done);
}

/** How many messages the job is through with. */
export function handledBy(job: Job): number {
  return job.done + skippedCount(job);
}

function skippedCount({ skipped }: Job): number {
  return skipped.changed + skipped.inFlight;
}

const whySkipped: Readonly<Record<Job["action"], string>> = {
  redrive: "not possible any more",
  cancel: "not possible any more",
  reschedule: "not possible (ended, or past its notAfter)",
  shift: "not possible (ended, or past its notAfter)",
  backfill: "not possible",
};

/** What was skipped and why; empty for nothing. */
export function skippedText({ action, skipped }: Job): string {
  const why = whySkipped[action];
  const parts = [
    skipped.changed > 0 && `${counted(skipped.changed)} ${why}`,
    skipped.inFlight > 0 && `${counted(skipped.inFlight)} in delivery`,
  ];
  return parts.filter(Boolean).join(", ");
}

function stateText({ state }: Job, { paint }: Look): string {
  return paint(stateStyles.get(state) ?? "bold", state);
}

/** Null stands for what the other actions have. */
function wanted({ deliveryTime, byMs, ...job }: Job): Parameters<typeof actionText>[0] {
  return {
    ...job,
    ...(deliveryTime !== null && { deliveryTime }),
    ...(byMs !== null && { byMs }),
  };
}
