import type { Instant } from "../../instant.ts";
import type { TimeZones } from "../../time-zones/time-zones.ts";
import { recurrenceOf } from "../occurrences/recurrence-of.ts";
import { unknownZoneLookMs } from "../limits.ts";
import type { Schedule } from "../schedule.ts";
import type { Step, Surroundings } from "../steps.ts";
import { withoutEndedPause } from "./before-change.ts";
import { draftOf, stepOf } from "./draft.ts";
import { makeRuns } from "./make-runs.ts";

/** Decides what is due of the schedule, and makes the runs of the next seconds. A pause may end with it. */
export function advanced(schedule: Schedule, surroundings: Surroundings, zones: TimeZones): Step {
  const { now, earlier } = surroundings;
  const current = withoutEndedPause(schedule, now);
  if (current.pause !== null) return lookingAgain(current, current.pause.until, earlier);
  // One schedule that cannot be computed here must not stop the others.
  if (zones.find(current.timeZone) === undefined) {
    return lookingAgain(current, now + unknownZoneLookMs, earlier);
  }
  return makeRuns(draftOf(current, earlier), now, recurrenceOf(current, zones));
}

function lookingAgain(
  schedule: Schedule,
  lookTime: Instant | null,
  earlier: Surroundings["earlier"],
): Step {
  const progress = { ...schedule.progress, lookTime };
  return stepOf(draftOf({ ...schedule, progress }, earlier));
}
