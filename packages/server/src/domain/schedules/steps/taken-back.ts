import type { Instant } from "../../instant.ts";
import type { Schedule } from "../schedule.ts";
import type { Surroundings } from "../steps.ts";

/** Runs with times up to and including this instant are due, so none of them can be taken back. */
export function openRunsSince({ flexWindowMs }: Schedule, now: Instant): Instant {
  return now - flexWindowMs;
}

/** The messages to cancel when the schedule is removed. */
export function takenBack({ openRuns }: Pick<Surroundings, "openRuns">): readonly string[] {
  return openRuns.map(({ messageId }) => messageId);
}
