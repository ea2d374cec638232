import type { Caller } from "../../domain/access.ts";
import { defaultRates } from "../../domain/job.ts";
import type { Job, JobOrder } from "../../domain/job.ts";
import { targetRef } from "../targets/target-ref.ts";
import { targetNotFound } from "../targets/target-view.ts";
import { startJob } from "./start-job.ts";
import type { StartJobOptions } from "./start-job.ts";

/** Starts a job that cancels the scheduled messages of the target, and removes the target at its end. */
export async function removeTargetWithMessages(
  options: StartJobOptions,
  caller: Caller,
  targetId: string,
): Promise<Job> {
  const order = removalOf(targetRef(caller, targetId).targetId);
  const start = { idempotency: null, noTarget: targetNotFound };
  return (await startJob(options, caller, order, start)).job;
}

function removalOf(targetId: string): JobOrder {
  return {
    action: "cancel",
    filter: {
      ...{ targetId, minTime: null, maxTime: null, labels: [], keyPrefix: null },
      ...{ deadLetterReason: null, lastStatusCode: null },
    },
    ...{ deliveryTime: null, byMs: null, maxMessages: null, stopAfterFailures: null, note: null },
    ratePerSecond: defaultRates.cancel,
    removesTarget: true,
  };
}
