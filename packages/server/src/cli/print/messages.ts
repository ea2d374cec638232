import type { Style } from "../terminal/colours.ts";
import type { Message } from "@postdate/client";
import { alignedRows } from "../terminal/aligned.ts";
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
export function messageCard(message: Message, { paint, now }: Look): string {
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
    [paint("bold", "State"), paint(stateStyles.get(message.state) ?? "bold", message.state)],
    [paint("bold", "Target"), message.targetId],
    [paint("bold", "Failures"), String(message.deliveryFailureCount)],
    ...times
      .filter(([, time]) => time !== null)
      .map(([title, time]) => [paint("bold", title), timeBeside(time, now)]),
  ]);
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
