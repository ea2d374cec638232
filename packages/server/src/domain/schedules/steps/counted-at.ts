import type { Instant } from "../../instant.ts";
import type { RunMessage } from "../steps.ts";
import { isByTime } from "./draft.ts";

/**
 * A message counts against the limit of the month of this instant. One that is made ahead counts at its run time: the
 * first run of a month is made in the month before.
 */
export function countedAt(message: Pick<RunMessage, "runTime" | "trigger">, now: Instant): Instant {
  return isByTime(message) ? Math.max(now, message.runTime) : now;
}
