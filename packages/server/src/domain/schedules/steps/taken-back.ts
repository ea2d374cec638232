import type { Instant } from "../../instant.ts";
import type { Schedule } from "../schedule.ts";
import type { Surroundings } from "../steps.ts";
import { isByTime } from "./draft.ts";

/**
 * Runs with times up to and including this instant are due, so none of them can be taken back, unless a caller has
 * moved its message.
 */
export function openRunsSince({ flexWindowMs }: Schedule, now: Instant): Instant {
  return now - flexWindowMs;
}

/** The messages to cancel when the schedule is removed. */
export function takenBack({ openRuns }: Pick<Surroundings, "openRuns">): readonly string[] {
  return openRuns.filter(isByTime).map(({ messageId }) => messageId);
}
