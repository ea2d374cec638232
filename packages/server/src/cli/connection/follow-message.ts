import type { Message } from "@postdate/client";
import { parseTime } from "../../domain/times.ts";
import type { Clock } from "../../platform/clock.ts";
import { pause, type Timers } from "../../platform/timers.ts";
import type { Service } from "./service.ts";

const firstIntervalMs = 50;
/** The longest interval of a message that is due, and the shortest one long before it is due. */
const usualIntervalMs = 5_000;
const longestIntervalMs = 60_000;

export interface FollowOptions {
  readonly service: Service;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Called when the message has a new delivery time, after a failed attempt or a reschedule. */
  readonly onChange: (message: Message) => void;
  /** Ends the wait at once. */
  readonly signal: AbortSignal;
}

/** Reads a message, less and less often, until it has ended. Undefined if the signal came before that. */
export async function followMessage(
  message: Message,
  { service, clock, timers, onChange, signal }: FollowOptions,
): Promise<Message | undefined> {
  const { messageId } = message;
  let latest = message;
  let intervalMs = firstIntervalMs;
  while (latest.state === "SCHEDULED") {
    const untilDueMs = dueAt(latest) - clock.now();
    await pause(timers, nextPollMs(untilDueMs, intervalMs), signal);
    if (signal.aborted) return undefined;
    const before = latest;
    try {
      latest = await service.find(
        (postdate) => postdate.messages.get(messageId, { signal }),
        `The message ${messageId} is no longer there.`,
      );
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
    const moved = latest.nextDeliveryTime !== before.nextDeliveryTime;
    if (moved && latest.state === "SCHEDULED") onChange(latest);
    // The interval grows only while an attempt is running. Each new attempt starts with the first
    // interval.
    intervalMs = moved || untilDueMs > 0 ? firstIntervalMs : intervalMs * 1.5;
  }
  return latest;
}

/** Before the message is due, only another caller changes it, and nobody waits for that to the second. */
export function nextPollMs(untilDueMs: number, intervalMs: number): number {
  if (untilDueMs <= 0) return Math.min(intervalMs, usualIntervalMs);
  const patientMs = Math.min(Math.max(untilDueMs / 10, usualIntervalMs), longestIntervalMs);
  return Math.min(untilDueMs + firstIntervalMs, patientMs);
}

function dueAt({ nextDeliveryTime }: Message): number {
  const parsed = typeof nextDeliveryTime === "string" ? parseTime(nextDeliveryTime) : undefined;
  return parsed?.ok ? parsed.time : 0;
}
