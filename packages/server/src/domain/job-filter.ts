import type { JobFilter, JobOrder, JobProgress } from "./job.ts";
import type { Instant } from "./instant.ts";
import { searchTexts } from "./message-options.ts";
import type { Message } from "./message.ts";

/**
 * How a job goes through its messages. By a label, in the order of ids, which no change moves. By a target, in
 * the order of the time that the job's filter bounds; `latest` first where a change moves messages forward, so
 * that they move away from the walk. Retries and callers may move scheduled messages behind the walk. So a second
 * walk follows from the earliest, and meets what the first has missed.
 */
export type JobWalk =
  | { readonly by: "label"; readonly label: string }
  | {
      readonly by: "target";
      readonly targetId: string;
      readonly list: "scheduled" | "dead-letters";
      readonly first: "earliest" | "latest";
    };

export function walkOf({
  action,
  filter,
  byMs,
  progress,
}: JobOrder & { readonly progress?: JobProgress }): JobWalk {
  const [label] = filter.labels;
  if (label !== undefined) return { by: "label", label };
  return {
    by: "target",
    targetId: filter.targetId!,
    list: action === "redrive" ? "dead-letters" : "scheduled",
    first: byMs !== null && byMs > 0 && !progress?.walksAgain ? "latest" : "earliest",
  };
}

/** The time that a job's bounds are about. Null: the message is in another state than the job needs. */
export function timeInJob({ action }: Pick<JobOrder, "action">, message: Message): Instant | null {
  return action === "redrive" ? message.deadLetterTime : message.nextDeliveryTime;
}

/**
 * Whether a job changes this message. `jobTime` is when the job was created: it leaves alone what was scheduled,
 * or became a dead letter, later. `lastStatusCode` is asked only if the filter has one.
 */
export function isMatched(
  order: Pick<JobOrder, "action" | "filter">,
  jobTime: Instant,
  message: Message,
  lastStatusCode: () => number | null,
): boolean {
  const { action, filter } = order;
  const time = timeInJob(order, message);
  const began = action === "redrive" ? message.deadLetterTime : message.schedulingTime;
  if (time === null || began === null || began > jobTime) return false;
  return isWithin(filter, time) && hasTraits(filter, message, lastStatusCode);
}

function isWithin({ minTime, maxTime }: JobFilter, time: Instant): boolean {
  return (minTime === null || time >= minTime) && (maxTime === null || time <= maxTime);
}

function hasTraits(
  { targetId, labels, keyPrefix, deadLetterReason, lastStatusCode: status }: JobFilter,
  message: Message,
  lastStatusCode: () => number | null,
): boolean {
  if (targetId !== null && message.targetId !== targetId) return false;
  if (deadLetterReason !== null && message.endReason !== deadLetterReason) return false;
  if (keyPrefix !== null && message.options?.key?.startsWith(keyPrefix) !== true) return false;
  const own = labels.length === 0 ? [] : searchTexts(message.options);
  if (!labels.every((label) => own.includes(label))) return false;
  return status === null || lastStatusCode() === status;
}
