import type { Job } from "@postdate/client";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import { many } from "../print/job-words.ts";

/** Why a job that is watched no longer is not done, and what to do; undefined if it is done. */
export function failureOfJob(job: Job): CommandFailed | undefined {
  const { jobId, state, stopReason, filter } = job;
  if (state === "DONE") return undefined;
  if (state === "STOPPED") {
    return failed("Stopped. What the job has changed stays changed.", ...warningsAbout(job));
  }
  if (state !== "PAUSED") return failed(failedText(stopReason, filter));
  if (stopReason !== "FAILURES")
    return failed(`Paused: \`postdate jobs resume ${jobId}\` goes on.`);
  return failed(
    "Paused: too many of the redriven messages failed again in a row. The others wait.",
    `Once the target is mended, \`postdate jobs resume ${jobId}\` sends the others; \`postdate jobs stop ${jobId}\` ends it.`,
    "It does not send those again that have failed again: they are retried as their policy says, and then are dead letters for another redrive.",
  );
}

/** What a person must know before they run the command again, or believe that all is well. */
export function warningsAbout({ action, state, done, failedAgain, filter }: Job): string[] {
  if (action === "shift" && state === "STOPPED" && done > 0) {
    const moved = many(done, "message");
    return [
      `The same command would move the same ${moved} again: name the others with --min-time and --max-time.`,
    ];
  }
  if (action === "redrive" && state === "DONE" && failedAgain > 0) {
    const again = ["postdate redrive", filter.targetId].filter(Boolean).join(" ");
    return [
      `Warning: ${many(failedAgain, "message")} failed again. What no retry delivers becomes a dead letter again: mend the target, then \`${again}\`.`,
    ];
  }
  return [];
}

function failed(...lines: readonly string[]): CommandFailed {
  return new CommandFailed(exitCodes.refused, ...lines);
}

function failedText(reason: Job["stopReason"], filter: Job["filter"]): string {
  const { targetId = "the target", scheduleId = "the schedule" } = filter;
  switch (reason) {
    case "SCHEDULE_REMOVED":
      return `Failed: somebody has removed ${scheduleId} meanwhile. Messages that the job has made are delivered.`;
    case "TARGET_REMOVED":
      return `Failed: somebody has removed ${targetId} meanwhile.`;
    case "TARGET_HAS_MESSAGES":
      return `Failed: new messages were scheduled for ${targetId}, so it was not removed. Run the command again.`;
    default:
      return "Failed.";
  }
}
