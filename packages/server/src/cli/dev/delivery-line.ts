import { formatTime } from "../../domain/times.ts";
import type { Paint } from "../terminal/colours.ts";
import { onOneLine, shortened } from "../terminal/aligned.ts";
import type { ReceivedDelivery } from "./receiver.ts";

const payloadLength = 60;

/** One line for a delivery: when, how late, which message, the answer, and the payload. */
export function deliveryLine(delivery: ReceivedDelivery, paint: Paint): string {
  const { messageId, attempt, receivedAt, dueAt, status, signatureFault, body } = delivery;
  const text = new TextDecoder().decode(body);
  const late = dueAt === null ? "" : `+${receivedAt - dueAt} ms`;
  const parts = [
    paint("dim", formatTime(receivedAt).slice(11)),
    late.padStart(8),
    messageId === null ? "no webhook-id" : onOneLine(messageId),
    `attempt ${onOneLine(attempt ?? "?")}`,
    paint(status === 200 ? "green" : "red", String(status)),
    ...(signatureFault === undefined ? [] : [paint("red", `SIGNATURE: ${signatureFault}`)]),
    `${body.length} B`,
    shortened(onOneLine(shortened(text, payloadLength)), payloadLength),
  ];
  return `${parts.join("  ").trimEnd()}\n`;
}
