import { occurrencesOf } from "../../domain/schedules/occurrences.ts";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { TimeZones } from "../../domain/time-zones/time-zones.ts";
import type { Clock } from "../../platform/clock.ts";
import { readGivenTime } from "../messages/given-time.ts";
import { readRecurrence } from "./given-recurrence.ts";
import type { GivenRecurrence } from "./given-recurrence.ts";
import { viewOccurrence } from "./view-occurrence.ts";
import type { OccurrenceView } from "./view-occurrence.ts";

export interface PreviewOptions {
  readonly timeZones: TimeZones;
  readonly clock: Pick<Clock, "now">;
}

export interface GivenPreview extends GivenRecurrence {
  readonly maxRuns?: number | null | undefined;
  readonly from?: string | undefined;
  readonly count?: number | undefined;
}

const usualCount = 10;

/** The occurrences that a schedule would have, without one. It reads nothing from the store. */
export function previewSchedule(
  { timeZones, clock }: PreviewOptions,
  given: GivenPreview,
  formProblems: readonly Problem[] = [],
): OccurrenceView[] {
  const problems = [...formProblems];
  const from = readGivenTime(given.from, "from", problems) ?? clock.now();
  const recurrence = readRecurrence(timeZones, given, from, problems);
  if (recurrence === undefined || problems.length > 0) throw new RequestRefused(...problems);
  const count = Math.min(given.count ?? usualCount, given.maxRuns ?? Infinity);
  const found = occurrencesOf(recurrence, from + 1)
    .take(count)
    .map(viewOccurrence)
    .toArray();
  if (found.length === 0) throw new RequestRefused(noOccurrence(given));
  return found;
}

function noOccurrence({ cron, everyMs }: GivenPreview): Problem {
  const field = cron !== undefined ? "cron" : everyMs !== undefined ? "everyMs" : "at";
  return {
    code: codes.noOccurrence,
    message: `${field} has no occurrence within 50 years. Check its days and months, and startTime, endTime, except and from.`,
    field,
  };
}
