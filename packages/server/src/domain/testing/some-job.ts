import type { JobFilter, NewJob } from "../job.ts";

export interface AskedJob extends Partial<Omit<NewJob, "filter">> {
  readonly filter?: Partial<JobFilter>;
}

/** A job that cancels all messages of the target "t" of one account, unless `asked` says otherwise. */
export function someJob({ filter, ...asked }: AskedJob = {}): NewJob {
  return {
    jobId: "job_00000000000000000000000001",
    accountId: "acc_one",
    actor: { kind: "key", id: "key_of_somebody" },
    action: "cancel",
    filter: {
      targetId: "t",
      minTime: null,
      maxTime: null,
      labels: [],
      keyPrefix: null,
      deadLetterReason: null,
      lastStatusCode: null,
      ...filter,
    },
    deliveryTime: null,
    byMs: null,
    ratePerSecond: 10_000,
    maxMessages: null,
    stopAfterFailures: null,
    note: null,
    removesTarget: false,
    ...asked,
  };
}
