import type { Message } from "@postdate/client";
import { parseTime } from "../../domain/times.ts";
import type { Clock } from "../../platform/clock.ts";
import { pause, type Timers } from "../../platform/timers.ts";
import type { Service } from "./service.ts";

const firstIntervalMs = 50;
const longestIntervalMs = 5_000;

export interface FollowOptions {
  readonly service: Service;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Called when the message has a new delivery time, after a failed attempt or a reschedule. */
  readonly onChange: (message: Message) => void;
}

/** Reads a message, less and less often, until it has ended. */
export async function followMessage(
  message: Message,
  { service, clock, timers, onChange }: FollowOptions,
): Promise<Message> {
  const { messageId } = message;
  let latest = message;
  let intervalMs = firstIntervalMs;
  while (latest.state === "SCHEDULED") {
    const untilDueMs = dueAt(latest) - clock.now();
    await pause(timers, nextPollMs(untilDueMs, intervalMs));
    const before = latest;
    latest = await service.find(
      (postdate) => postdate.messages.get(messageId),
      `The message ${messageId} is no longer there.`,
    );
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

function dueAt({ nextDeliveryTime }: Message): number {
  const parsed = typeof nextDeliveryTime === "string" ? parseTime(nextDeliveryTime) : undefined;
  return parsed?.ok ? parsed.time : 0;
}
