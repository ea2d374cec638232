import type { Job, JobFilter, JobStopReason } from "@postdate/client";
import { inertText } from "../../presentation/inert-text.ts";
import { reasonText } from "../../presentation/reason-text.ts";
import { dateTime, duration, zoneMark, type Zone } from "../../time/time-text.ts";

/** What a job does, in words: `Move later by 1 d`. */
export function actionWords(
  job: Pick<Job, "action" | "byMs" | "deliveryTime">,
  zone: Zone,
): string {
  const { action, byMs, deliveryTime } = job;
  if (action === "shift" && byMs !== null) {
    return `Move ${byMs < 0 ? "earlier" : "later"} by ${duration(Math.abs(byMs))}`;
  }
  if (action === "reschedule" && deliveryTime !== null) {
    return `Reschedule to ${dateTime(deliveryTime, zone)} ${zoneMark(deliveryTime, zone)}`;
  }
  return {
    redrive: "Send again",
    cancel: "Cancel",
    reschedule: "Reschedule",
    shift: "Move",
    backfill: "Make the missing runs",
  }[action];
}

/** Which messages a job is about: `dead letters of mail, all attempts failed, last with 503`. */
export function filterWords(action: Job["action"], filter: JobFilter, zone: Zone): string {
  const { targetId, labels = {}, scheduleId, keyPrefix, minTime, maxTime } = filter;
  const { deadLetterReason = null, lastStatusCode = null } = filter;
  const what = { redrive: "dead letters", backfill: "runs" }[action as string] ?? "messages";
  const time = (at: string): string => `${dateTime(at, zone)} ${zoneMark(at, zone)}`;
  const since = { redrive: "dead", backfill: "of times" }[action as string] ?? "due";
  const parts = [
    `${what}${targetId === undefined ? "" : ` of ${targetId}`}`,
    scheduleId !== undefined && `of the schedule ${scheduleId}`,
    ...Object.entries(labels).map(([name, value]) => `with ${inertText(`${name}=${value}`)}`),
    keyPrefix !== undefined && `with a key that begins with ${inertText(keyPrefix)}`,
    minTime !== undefined && `${since} from ${time(minTime)}`,
    maxTime !== undefined && `${minTime === undefined ? `${since} ` : ""}until ${time(maxTime)}`,
    (deadLetterReason !== null || lastStatusCode !== null) && why(deadLetterReason, lastStatusCode),
  ];
  return parts.filter(Boolean).join(", ");
}

function why(reason: JobFilter["deadLetterReason"] | null, status: number | null): string {
  return reason == null ? `last with ${status}` : reasonText(reason, status);
}

const reasons: Readonly<Record<JobStopReason, string>> = {
  REQUESTED: "somebody asked for it",
  FAILURES: "too many failed again in a row",
  MAX_MESSAGES: "it has met as many as it may",
  TARGET_REMOVED: "its target was removed",
  TARGET_HAS_MESSAGES: "its target got new messages",
  SCHEDULE_REMOVED: "its schedule was removed",
};

/** Why it stands still or has ended; null if nobody has to know. */
export function stopWords({ stopReason }: Pick<Job, "stopReason">): string | null {
  return stopReason && reasons[stopReason];
}

export function hasEnded({ state }: Pick<Job, "state">): boolean {
  return state !== "RUNNING" && state !== "PAUSED";
}
