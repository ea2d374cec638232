import type { TimeZones } from "../../time-zones/time-zones.ts";
import { isOccurrence } from "../occurrences/next-occurrence.ts";
import { recurrenceOf } from "../occurrences/recurrence-of.ts";
import type { Schedule } from "../schedule.ts";
import type { Step, Surroundings } from "../steps.ts";
import { draftOf, stepOf } from "./draft.ts";
import { runMessage } from "./run-message.ts";

/** One run now, beside those by time. It changes nothing of the schedule, and decides nothing that is due. */
export function triggered(
  schedule: Schedule,
  { now, earlier, recordedRuns }: Surroundings,
  zones: TimeZones,
): Step {
  const recurrence = recurrenceOf(schedule, zones);
  const taken = new Set(recordedRuns.map(({ runTime }) => runTime));
  let runTime = now;
  while (taken.has(runTime) || isOccurrence(recurrence, runTime)) runTime++;
  const draft = draftOf(schedule, earlier);
  draft.messages.push(runMessage(schedule, runTime, "MANUAL", now));
  return stepOf(draft);
}
