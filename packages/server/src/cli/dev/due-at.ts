import { parseTime } from "../../domain/times.ts";
import { pause, type Timers } from "../../platform/timers.ts";
import { path, type Api } from "../connection/api.ts";
import { CommandFailed } from "../failures/exit-codes.ts";
import type { WireMessage } from "../connection/wire.ts";

const patienceMs = 1_000;

/** When the running attempt was due; null if the service does not know or answers too slowly. */
export async function dueAtOf(api: Api, timers: Timers, messageId: string): Promise<number | null> {
  const answered = new AbortController();
  const late = pause(timers, patienceMs, answered.signal).then(() => null);
  try {
    return await Promise.race([askFor(api, messageId), late]);
  } finally {
    answered.abort();
  }
}

async function askFor(api: Api, messageId: string): Promise<number | null> {
  try {
    const message = await api.call<WireMessage>({
      method: "GET",
      path: path("messages", messageId),
    });
    const next = parseTime(message.nextDeliveryTime ?? "");
    const scheduled = parseTime(message.schedulingTime);
    if (!next.ok || !scheduled.ok) return null;
    // A delivery time in the past means now: the moment when the message was scheduled.
    return Math.max(next.time, scheduled.time);
  } catch (error) {
    if (error instanceof CommandFailed) return null;
    throw error;
  }
}
