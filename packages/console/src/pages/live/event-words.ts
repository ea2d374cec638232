import type { EventData, PostdateEvent } from "@postdate/client";
import { inertText } from "../../presentation/inert-text.ts";

/** The type without what all types have. */
export function shortType({ type }: Pick<PostdateEvent, "type">): string {
  return type.replace(/^postdate\.(.*)\.v1$/, "$1");
}

/** The target that an event concerns; undefined: none. */
export function targetOf({ message, target, schedule }: EventData): string | undefined {
  return message?.targetId ?? target?.targetId ?? schedule?.targetId;
}

/** What is worth knowing beside the type. */
export function detailsOf({ message, attempt, health, run, job, endpoint }: EventData): string {
  const parts = [
    attempt &&
      `attempt ${attempt.number}: ${attempt.error ?? attempt.statusCode ?? attempt.outcome}`,
    message?.deadLetterReason,
    message?.cancellationReason,
    message?.key !== undefined && `key ${message.key}`,
    health && `${health.failedAttempts} attempts failed in a row`,
    run && `run of ${run.runTime}${run.reason === null ? "" : `: ${run.reason}`}`,
    job && `${job.action}, ${job.state}, ${job.done.toLocaleString("en")} done`,
    endpoint?.statusCode != null && `its receiver answered ${endpoint.statusCode}`,
  ];
  return inertText(parts.filter((part) => typeof part === "string").join(" · "));
}
