import type { AuditNote } from "./audit.ts";
import type { Job } from "./job.ts";

/** The audit entry about the end of a job, written in the commit that ends it. */
export function jobEndedNote(job: Job, entryId: string): AuditNote {
  const { jobId, accountId, state, matched, done, skipped, failedAgain, stopReason } = job;
  return {
    entryId,
    actor: { kind: "service", id: "postdate" },
    requestId: null,
    action: "job.ended",
    accountId,
    subjectId: jobId,
    detail: {
      state,
      matched,
      done,
      skippedChanged: skipped.changed,
      skippedInFlight: skipped.inFlight,
      failedAgain,
      stopReason,
    },
  };
}

/** The audit entry about the target that a job has removed. */
export function targetRemovedByJobNote(job: Job, entryId: string): AuditNote {
  return {
    entryId,
    actor: job.actor,
    requestId: null,
    action: "target.removed",
    accountId: job.accountId,
    subjectId: job.filter.targetId!,
    detail: { jobId: job.jobId },
  };
}
