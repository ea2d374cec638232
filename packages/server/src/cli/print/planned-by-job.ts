import type { JobInput, Message } from "@postdate/client";
import type { Instant } from "../../domain/instant.ts";
import {
  dueTime,
  isOutrun,
  withDeliveryTime,
  withShiftedBound,
  type MessageOptions,
} from "../../domain/message-options.ts";
import { parseTime } from "../../domain/times.ts";

/** "outrun": the job skips the message, because its `notAfter` comes first. */
export type PlannedTime = Instant | "outrun";

/** When the message would be due after the job. Undefined: the job sets no time, or nobody can tell. */
export function plannedByJob(
  { action, byMs = 0, deliveryTime }: JobInput,
  message: Message,
  now: Instant,
): PlannedTime | undefined {
  if (action === "shift") {
    const time = instantOf(message.nextDeliveryTime);
    if (time === undefined) return undefined;
    const options = withShiftedBound(timesOf(message), byMs);
    return isOutrun(options, time + byMs, now) ? "outrun" : time + byMs;
  }
  const time = instantOf(deliveryTime);
  if (action !== "reschedule" || time === undefined) return undefined;
  const options = withDeliveryTime(timesOf(message), time);
  return isOutrun(options, time, now) ? "outrun" : dueTime(message.messageId, options, time);
}

function timesOf({ notAfter, notAfterMs, flexWindowMs }: Message): MessageOptions {
  const bound = instantOf(notAfter);
  return {
    ...(bound !== undefined && { notAfter: bound }),
    ...(notAfterMs !== undefined && { notAfterMs }),
    ...(flexWindowMs !== undefined && { flexWindowMs }),
  };
}

function instantOf(time: string | Date | null | undefined): Instant | undefined {
  if (time instanceof Date) return time.getTime();
  const parsed = typeof time === "string" ? parseTime(time) : undefined;
  return parsed?.ok === true ? parsed.time : undefined;
}
