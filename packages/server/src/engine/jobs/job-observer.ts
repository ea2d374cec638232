import type { Job } from "../../domain/job.ts";

/** Hears what happens to jobs on this node, for the metrics and the log. */
export interface JobObserver {
  /** This node works on these jobs now, and on no others. */
  runningJobs(jobIds: readonly string[]): void;
  /** This node has begun to work on the job, or goes on with it. */
  jobTaken(job: Job): void;
  /** One or more steps were made, which may have ended or paused the job. */
  jobAdvanced(before: Job, after: Job): void;
  trouble(error: unknown, doing: string): void;
}
