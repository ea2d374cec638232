import type { Style } from "../terminal/colours.ts";
import type { Message } from "@postdate/client";
import { cardOf } from "../terminal/card.ts";
import type { Look } from "../terminal/look.ts";
import { timeBeside, timeCell } from "../terminal/relative-time.ts";
import { tableOf } from "../terminal/table.ts";

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
  const rows: readonly (readonly [string, string])[] = [
    ["Message", message.messageId],
    ["State", paint(stateStyles.get(message.state) ?? "bold", message.state)],
    ["Target", message.targetId],
    ["Failures", String(message.deliveryFailureCount)],
    ...times
      .filter(([, time]) => time !== null)
      .map(([title, time]) => [title, timeBeside(time, now)] as const),
  ];
  return cardOf(rows, look);
}

/** Many messages, one line each, with the time that orders the list. */
export function messageRows(
  messages: readonly Message[],
  orderedBy: "nextDeliveryTime" | "deadLetterTime",
  look: Look,
): string {
  const title = orderedBy === "nextDeliveryTime" ? "NEXT DELIVERY" : "DEAD-LETTERED";
  const rows = messages.map((message) => [
    message.messageId,
    String(message.deliveryFailureCount),
    timeCell(message[orderedBy], look.now),
  ]);
  return tableOf({ titles: ["MESSAGE", "FAILURES", title], rows }, look);
}
