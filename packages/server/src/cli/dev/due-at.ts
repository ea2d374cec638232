import { parseTime } from "../../domain/times.ts";
import type { Service } from "../connection/service.ts";
import { CommandFailed } from "../failures/exit-codes.ts";

const patienceMs = 1_000;

/** When the running attempt was due; null if the service does not know or answers too slowly. */
export async function dueAtOf(service: Service, messageId: string): Promise<number | null> {
  try {
    const message = await service.ask(({ messages }) =>
      messages.get(messageId, { timeoutMs: patienceMs }),
    );
    const next = parseTime(message?.nextDeliveryTime ?? "");
    const scheduled = parseTime(message?.schedulingTime ?? "");
    if (!next.ok || !scheduled.ok) return null;
    // A delivery time in the past means now: the moment when the message was scheduled.
    return Math.max(next.time, scheduled.time);
  } catch (error) {
    if (error instanceof CommandFailed) return null;
    throw error;
  }
}
