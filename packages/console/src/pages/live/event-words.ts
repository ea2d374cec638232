import type { EventData, PostdateEvent } from "@postdate/client";
import { inertText } from "../../presentation/inert-text.ts";
import { isKnownType } from "./event-types.ts";

/** The type without what all types have. */
export function shortType({ type }: Pick<PostdateEvent, "type">): string {
  return type.replace(/^postdate\.(.*)\.v1$/, "$1");
}

/** The target that an event concerns; undefined: none. */
export function targetOf({ message, target, schedule }: EventData): string | undefined {
  const targetId: unknown = message?.targetId ?? target?.targetId ?? schedule?.targetId;
  // What an event of an unknown type has may be anything.
  return typeof targetId === "string" ? targetId : undefined;
}

/** What is worth knowing beside the type. */
export function detailsOf({ type, data }: Pick<PostdateEvent, "type" | "data">): string {
  if (!isKnownType(shortType({ type }))) {
    return "This page does not know this type. Load it again: the server may be newer.";
  }
  const { message, attempt, health, run, job, endpoint } = data;
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
