import type { TrackedMessage } from "../message.ts";

/**
 * What a change of a message means for the open runs of its schedule. "moved": its message is due at another time and
 * was never attempted, so a change of the schedule takes it back, also long after its run time. "over": nobody takes
 * it back any more. Undefined: nothing, or no schedule has made the message.
 */
export function movedRun(
  before: TrackedMessage,
  after: TrackedMessage,
): "moved" | "over" | undefined {
  const isChanged = before.nextDeliveryTime !== after.nextDeliveryTime;
  if (!isChanged || after.options?.schedule === undefined) return undefined;
  return after.state === "SCHEDULED" && after.attemptCount === 0 ? "moved" : "over";
}
