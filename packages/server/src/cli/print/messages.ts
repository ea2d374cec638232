import type { Style } from "../terminal/colours.ts";
import type { Message } from "@postdate/client";
import { parseTime } from "../../domain/times.ts";
import type { Row } from "../target-kinds/target-kind-commands.ts";
import { onOneLine } from "../terminal/aligned.ts";
import { cardOf } from "../terminal/card.ts";
import type { Look } from "../terminal/look.ts";
import { relativeTime, timeBeside, timeCell } from "../terminal/relative-time.ts";
import { tableOf } from "../terminal/table.ts";
import { messageRows } from "./message-options.ts";

const stateStyles: ReadonlyMap<string, Style> = new Map<Message["state"], Style>([
  ["SCHEDULED", "cyan"],
  ["DELIVERED", "green"],
  ["DEAD_LETTER", "red"],
  ["CANCELLED", "yellow"],
]);

/** One message, with a line for each fact. */
export function messageCard(message: Message, look: Look): string {
  const { paint, now } = look;
  const times: readonly (readonly [string, string | null])[] = [
    ["Next delivery", message.nextDeliveryTime],
    ["Last attempt", message.lastDeliveryTime],
    ["Dead-lettered", message.deadLetterTime],
    ["Cancelled", message.cancellationTime],
    ["First due", message.originalDeliveryTime],
    ["Scheduled", message.schedulingTime],
    ["Kept until", message.expirationTime],
  ];
  const reason = reasonOf(message);
  const rows: readonly Row[] = [
    ["Message", message.messageId],
    ["State", stateText(message, paint)],
    ...(reason === null ? [] : [["Reason", reason] as const]),
    ["Target", message.targetId],
    ["Failures", String(message.deliveryFailureCount)],
    ...times
      .filter(([, time]) => time !== null)
      .map(([title, time]) => [title, timeBeside(time, now)] as const),
    ...messageRows(message, now),
  ];
  return cardOf(rows, look);
}

function stateText({ state }: Message, paint: Look["paint"]): string {
  return paint(stateStyles.get(state) ?? "bold", state);
}

const reasons: ReadonlyMap<string, string> = new Map<
  NonNullable<Message["deadLetterReason" | "cancellationReason"]>,
  string
>([
  ["ATTEMPTS_EXHAUSTED", "no attempt was left"],
  ["FINAL_ANSWER", "the target's answer was final"],
  ["ADDRESS_REFUSED", "the target's address is not allowed"],
  ["NOT_AFTER", "its not-after time came first"],
  ["REJECTED", "it cannot be sent to this target"],
  ["REPLACED", "another message took its place"],
]);

/** Why the message ended as it did; null if there is nothing to say. */
export function reasonOf({ deadLetterReason, cancellationReason }: Message): string | null {
  const reason = deadLetterReason ?? cancellationReason;
  return reason === undefined ? null : (reasons.get(reason) ?? onOneLine(reason));
}

/** The scheduled messages of a target, one line each. */
export function scheduledRows(messages: readonly Message[], look: Look): string {
  const rows = messages.map((message) => [
    message.messageId,
    String(message.deliveryFailureCount),
    timeCell(message.nextDeliveryTime, look.now),
  ]);
  return tableOf({ titles: ["MESSAGE", "FAILURES", "NEXT DELIVERY"], rows }, look);
}

export function deadLetterRows(messages: readonly Message[], look: Look): string {
  const titles = ["MESSAGE", "FAILURES", "DEAD-LETTERED", "REASON"];
  const rows = messages.map((message) => [
    message.messageId,
    String(message.deliveryFailureCount),
    timeCell(message.deadLetterTime, look.now),
    reasonOf(message) ?? "-",
  ]);
  return tableOf({ titles, rows, shortenable: ["REASON"] }, look);
}

/** Messages of any target and state, one line each, with the time that orders a search. */
export function foundRows(messages: readonly Message[], look: Look): string {
  const titles = ["MESSAGE", "STATE", "TARGET", "SCHEDULED", "DETAIL"];
  const rows = messages.map((message) => [
    message.messageId,
    stateText(message, look.paint),
    message.targetId,
    timeCell(message.schedulingTime, look.now),
    detailOf(message, look.now),
  ]);
  return tableOf({ titles, rows, shortenable: ["DETAIL"] }, look);
}

/** Why it ended, or else when it is due or was attempted last. */
function detailOf(message: Message, now: number): string {
  const { nextDeliveryTime, lastDeliveryTime } = message;
  const reason = reasonOf(message);
  if (reason !== null) return reason;
  if (message.state === "SCHEDULED") return `due ${distance(nextDeliveryTime, now)}`;
  return message.state === "DELIVERED" ? distance(lastDeliveryTime, now) : "-";
}

function distance(time: string | null, now: number): string {
  const parsed = time === null ? undefined : parseTime(time);
  return parsed?.ok ? relativeTime(parsed.time - now) : "-";
}
