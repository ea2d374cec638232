import type { Job } from "../domain/job.ts";
import type { JobStep } from "./job-store.ts";

/** How late a job goes on after what has held it back. Nobody tells the job. */
const lookAgainMs = 2_000;

/**
 * The step of a job whose account is suspended, or of a backfill beside a node with newer time-zone data: nothing
 * happens, and its holder keeps it.
 */
export function suspendedStep(job: Job): JobStep {
  return {
    ...{ kind: "advanced", job, idleMs: lookAgainMs },
    ...{ planned: [], nextBound: null, removedTargetKey: null },
  };
}
