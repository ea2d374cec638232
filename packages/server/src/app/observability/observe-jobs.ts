import type { JobObserver } from "../../engine/jobs/job-observer.ts";
import type { Logger } from "../../platform/logger.ts";
import type { Metrics } from "./metrics.ts";

/**
 * Counts what jobs change, and logs which node works on a job. The audit entries about a job's start and end
 * are in the log already.
 */
export function observeJobs(
  metrics: Pick<Metrics, "runningJobs" | "jobChanges">,
  logger: Pick<Logger, "info" | "warn">,
): Omit<JobObserver, "trouble"> {
  return {
    runningJobs: (count) => metrics.runningJobs.set(count),
    jobTaken({ jobId, accountId, action, matched, done }) {
      logger.info({ jobId, accountId, action, matched, done }, "job taken");
    },
    jobAdvanced(before, after) {
      metrics.jobChanges.inc({ action: after.action }, after.done - before.done);
      if (after.state !== "PAUSED") return;
      const { jobId, accountId, action, matched, done, failedAgain, stopReason } = after;
      logger.warn(
        { jobId, accountId, action, matched, done, failedAgain, stopReason },
        "job paused",
      );
    },
  };
}
