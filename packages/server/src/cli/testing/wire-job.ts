import type { Job } from "@postdate/client";

export const jobId = "job_01kq3v9x2eb8fsm4t7w5ch6d0n";

export function wireJob(changes: Partial<Job> = {}): Job {
  return {
    jobId,
    action: "redrive",
    filter: { targetId: "billing" },
    deliveryTime: null,
    byMs: null,
    state: "RUNNING",
    matched: 0,
    done: 0,
    skipped: { changed: 0, inFlight: 0 },
    failedAgain: 0,
    ratePerSecond: 50,
    maxMessages: null,
    stopAfterFailures: 20,
    removesTarget: false,
    note: null,
    creationTime: "2026-11-14T09:30:00.000Z",
    endTime: null,
    actor: { kind: "key", id: "key_1" },
    stopReason: null,
    ...changes,
  };
}

/** A job that has done everything. */
export function doneJob(changes: Partial<Job> = {}): Job {
  const endTime = "2026-11-14T09:31:00.000Z";
  return wireJob({ state: "DONE", matched: 3, done: 3, endTime, ...changes });
}
