import { hashOf } from "../../hash.ts";
import type { Instant } from "../../instant.ts";
import { withDeliveryTime } from "../../message-options.ts";
import type { RunTrigger } from "../run.ts";
import type { Schedule } from "../schedule.ts";
import type { RunMessage } from "../steps.ts";

/** The message of one run, for this time. */
export function runMessage(
  { scheduleId, payload, message }: Schedule,
  runTime: Instant,
  trigger: RunTrigger,
  deliveryTime: Instant,
): RunMessage {
  const options = withDeliveryTime({ ...message, schedule: { scheduleId, runTime } }, deliveryTime);
  return { runTime, trigger, deliveryTime, payload, options, counts: true };
}

/** When the message of a run is due by the schedule's own word. What is caught up is due at once. */
export function ownDueTime(
  schedule: Schedule,
  { runTime, trigger }: { readonly runTime: Instant; readonly trigger: RunTrigger },
  following: () => Instant | null,
): Instant {
  return trigger === "CATCH_UP" ? runTime : spreadTime(schedule, runTime, following);
}

/**
 * When the message of a run is due. Runs are spread over `flexWindowMs` by schedule and run time, so that every node
 * finds the same place. It comes before the run time that follows; null: none does.
 */
export function spreadTime(
  {
    accountId,
    scheduleId,
    flexWindowMs,
  }: Pick<Schedule, "accountId" | "scheduleId" | "flexWindowMs">,
  runTime: Instant,
  following: () => Instant | null,
): Instant {
  if (flexWindowMs === 0) return runTime;
  const windowMs = Math.min(flexWindowMs, (following() ?? Infinity) - runTime - 1);
  return runTime + (hashOf(`${accountId} ${scheduleId} ${runTime}`) % (windowMs + 1));
}
