import { parseTime } from "../../domain/times.ts";
import type { Clock } from "../../platform/clock.ts";
import { pause, type Timers } from "../../platform/timers.ts";
import { path, type Api } from "./api.ts";
import type { WireMessage } from "./wire.ts";

const firstIntervalMs = 50;
const longestIntervalMs = 5_000;

export interface AwaitOutcomeOptions {
  readonly api: Api;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Called when the message has a new delivery time, after a failed attempt or a reschedule. */
  readonly onChange: (message: WireMessage) => void;
}

/** Reads a message, less and less often, until it has ended. */
export async function awaitOutcome(
  message: WireMessage,
  { api, clock, timers, onChange }: AwaitOutcomeOptions,
): Promise<WireMessage> {
  let latest = message;
  let intervalMs = firstIntervalMs;
  while (latest.state === "SCHEDULED") {
    const untilDueMs = dueAt(latest) - clock.now();
    await pause(timers, nextPollMs(untilDueMs, intervalMs));
    const before = latest;
    latest = await api.call<WireMessage>({
      method: "GET",
      path: path("messages", message.messageId),
      missing: `The message ${message.messageId} is no longer there.`,
    });
    const moved = latest.nextDeliveryTime !== before.nextDeliveryTime;
    if (moved && latest.state === "SCHEDULED") onChange(latest);
    // The interval grows only while an attempt is running. Each new attempt starts with the first
    // interval.
    intervalMs = moved || untilDueMs > 0 ? firstIntervalMs : intervalMs * 1.5;
  }
  return latest;
}

/** Before the message is due, only another caller changes it. */
export function nextPollMs(untilDueMs: number, intervalMs: number): number {
  const wantedMs = untilDueMs > 0 ? untilDueMs + firstIntervalMs : intervalMs;
  return Math.min(wantedMs, longestIntervalMs);
}

function dueAt({ nextDeliveryTime }: WireMessage): number {
  const parsed = nextDeliveryTime === null ? undefined : parseTime(nextDeliveryTime);
  return parsed?.ok ? parsed.time : 0;
}
