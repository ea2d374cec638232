import type { DeadLetterGroup } from "@postdate/client";
import type { JobOrder } from "../../search/job-order.ts";

/** A job that sends a group of dead letters again. */
export function redriveOrder({
  targetId,
  deadLetterReason,
  lastStatusCode,
}: DeadLetterGroup): JobOrder {
  return {
    actions: ["redrive"],
    filter: {
      targetId,
      ...(deadLetterReason !== null && { deadLetterReason }),
      ...(lastStatusCode !== null && { lastStatusCode }),
    },
  };
}
