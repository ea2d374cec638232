import type { Job } from "../../domain/job.ts";
import type { JobObserver } from "../../engine/jobs/job-observer.ts";
import type { Logger } from "../../platform/logger.ts";
import type { Metrics } from "./metrics.ts";

/**
 * Counts what jobs change, and logs which node works on a job. The audit entries about a job's start and end
 * are in the log already.
 */
export function observeJobs(
  metrics: Pick<Metrics, "runningJobs" | "jobChanges" | "jobSkips" | "jobSteps" | "jobsPaused">,
  logger: Pick<Logger, "info" | "warn">,
): Omit<JobObserver, "trouble"> {
  return {
    runningJobs(jobIds) {
      metrics.runningJobs.set(jobIds.length);
      metrics.jobSteps.follow(jobIds);
    },
    jobTaken({ jobId, accountId, action, matched, done }) {
      logger.info({ jobId, accountId, action, matched, done }, "job taken");
    },
    jobAdvanced(before, after) {
      metrics.jobSteps.happened(after.jobId);
      metrics.jobChanges.add(after.action, after.done - before.done);
      metrics.jobSkips.add(after.action, skipsOf(after) - skipsOf(before));
      if (after.state !== "PAUSED") return;
      metrics.jobsPaused.inc();
      const { jobId, accountId, action, matched, done, failedAgain, stopReason } = after;
      logger.warn(
        { jobId, accountId, action, matched, done, failedAgain, stopReason },
        "job paused",
      );
    },
  };
}

function skipsOf({ skipped }: Pick<Job, "skipped">): number {
  return skipped.changed + skipped.inFlight;
}
