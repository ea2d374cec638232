import type { KeyOutcome, MessageOptions, ScheduledMessage } from "@postdate/client";
import { parseTime } from "../../domain/times.ts";
import { momentText } from "../input/moment/moment-text.ts";
import type { Zone } from "../../domain/time-zones/time-zone.ts";

export interface OutcomeContext {
  readonly mode: MessageOptions["onConflict"];
  readonly now: number;
  readonly zone: Zone;
}

/** What became of a message with a key, and when it is due. */
export function keyOutcomeText(message: ScheduledMessage, context: OutcomeContext): string {
  const { key = "", keyOutcome } = message;
  return `${sentence(keyOutcome, key, context.mode)}${dueText(message, context)}.`;
}

function sentence(
  outcome: KeyOutcome | undefined,
  key: string,
  mode: OutcomeContext["mode"],
): string {
  switch (outcome) {
    case "created":
      return `New: no pending message had the key ${key}`;
    case "kept":
      return `Nothing new: a message with the key ${key} is pending already, and stays as it is`;
    case "replaced":
      return mode === "replaceKeepTime"
        ? `Replaced the pending message with the key ${key}, at its time`
        : `Replaced the pending message with the key ${key}`;
    case "debounced":
      return `Replaced the pending message with the key ${key}, which waits again`;
    default:
      return `Scheduled with the key ${key}`;
  }
}

function dueText({ nextDeliveryTime }: ScheduledMessage, { now, zone }: OutcomeContext): string {
  const due = nextDeliveryTime === null ? undefined : parseTime(nextDeliveryTime);
  return due?.ok ? `; due ${momentText({ time: due.time, fromNowMs: null }, now, zone)}` : "";
}
