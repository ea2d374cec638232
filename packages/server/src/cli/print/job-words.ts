import type { Job, JobAction, JobInput } from "@postdate/client";
import { durationText } from "../terminal/duration-text.ts";
import { counted } from "../terminal/progress.ts";

interface Described extends Pick<JobInput, "filter" | "byMs" | "deliveryTime"> {
  readonly action: JobAction;
}

/** What each action is called while it runs. */
export const doing: Readonly<Record<JobAction, string>> = {
  redrive: "Redriving",
  cancel: "Cancelling",
  reschedule: "Rescheduling",
  shift: "Moving",
  backfill: "Making runs",
};

/** A number of what the action is about: "1 dead letter", "12 scheduled messages". */
export function amountText(action: JobAction, count: number): string {
  return many(count, nounOf(action));
}

export function nounOf(action: JobAction): string {
  if (action === "backfill") return "run";
  return action === "redrive" ? "dead letter" : "scheduled message";
}

/** "1 message", "12 messages". */
export function many(count: number, noun: string): string {
  return `${counted(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** What is done to the messages: "move them 1 d later". */
export function actionText({ action, byMs, deliveryTime }: Described, them = "them"): string {
  if (action === "reschedule") return `reschedule ${them} to ${String(deliveryTime)}`;
  if (action === "backfill") return "make runs of times that are past";
  return action === "shift" ? `move ${them} ${shiftText(byMs ?? 0)}` : `${action} ${them}`;
}

function shiftText(byMs: number): string {
  return `${durationText(Math.abs(byMs))} ${byMs < 0 ? "earlier" : "later"}`;
}

/** The conditions of a filter, as a person would name them. */
export function filterText({ filter }: Pick<Job, "filter">): string {
  const { targetId, scheduleId, labels = {}, keyPrefix, minTime, maxTime } = filter;
  const parts = [
    targetId,
    scheduleId && `schedule ${scheduleId}`,
    ...Object.entries(labels).map(([name, value]) => `${name}=${value}`),
    keyPrefix && `key ${keyPrefix}…`,
    minTime && `from ${minTime}`,
    maxTime && `to ${maxTime}`,
    filter.deadLetterReason,
    filter.lastStatusCode === undefined ? undefined : `status ${filter.lastStatusCode}`,
  ];
  return parts.filter(Boolean).join(", ");
}
