import type { Paint, Style } from "../colours.ts";
import type { WireAttempt, WireMessage } from "../wire.ts";
import { parseTime } from "../../domain/times.ts";
import { alignedRows, onOneLine } from "./aligned.ts";
import { timeBeside } from "./relative-time.ts";

export interface Look {
  readonly paint: Paint;
  readonly now: number;
}

const stateStyles: Record<WireMessage["state"], Style> = {
  SCHEDULED: "cyan",
  DELIVERED: "green",
  DEAD_LETTER: "red",
  CANCELLED: "yellow",
};

/** One message, a line for each thing there is to know about it. */
export function messageCard(message: WireMessage, { paint, now }: Look): string {
  const times: readonly (readonly [string, string | null])[] = [
    ["Next delivery", message.nextDeliveryTime],
    ["Last attempt", message.lastDeliveryTime],
    ["Dead-lettered", message.deadLetterTime],
    ["Cancelled", message.cancellationTime],
    ["First due", message.originalDeliveryTime],
    ["Scheduled", message.schedulingTime],
    ["Kept until", message.expirationTime],
  ];
  return alignedRows([
    [paint("bold", "Message"), message.messageId],
    [paint("bold", "State"), paint(stateStyles[message.state], message.state)],
    [paint("bold", "Target"), message.targetId],
    [paint("bold", "Failures"), String(message.deliveryFailureCount)],
    ...times
      .filter(([, time]) => time !== null)
      .map(([title, time]) => [paint("bold", title), timeBeside(time, now)]),
  ]);
}

/** Many messages, one line each, with the time the list is ordered by. */
export function messageRows(
  messages: readonly WireMessage[],
  orderedBy: "nextDeliveryTime" | "deadLetterTime",
  { paint, now }: Look,
): string {
  const title = orderedBy === "nextDeliveryTime" ? "NEXT DELIVERY" : "DEAD-LETTERED";
  return alignedRows([
    ["MESSAGE", "FAILURES", title].map((cell) => paint("bold", cell)),
    ...messages.map((message) => [
      message.messageId,
      String(message.deliveryFailureCount),
      timeBeside(message[orderedBy], now),
    ]),
  ]);
}

export function attemptRows(attempts: readonly WireAttempt[], { paint, now }: Look): string {
  return alignedRows([
    ["#", "STARTED", "TOOK", "OUTCOME", "STATUS", "ERROR"].map((cell) => paint("bold", cell)),
    ...attempts.map((attempt) => [
      String(attempt.number),
      timeBeside(attempt.startTime, now),
      tookText(attempt),
      paint(attempt.outcome === "DELIVERED" ? "green" : "red", attempt.outcome),
      String(attempt.statusCode ?? "-"),
      onOneLine(attempt.error ?? "-"),
    ]),
  ]);
}

function tookText({ startTime, endTime }: WireAttempt): string {
  const start = parseTime(startTime);
  const end = parseTime(endTime);
  return start.ok && end.ok ? `${end.time - start.time} ms` : "-";
}
