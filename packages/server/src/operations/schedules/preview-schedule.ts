import { occurrencesOf } from "../../domain/schedules/occurrences/occurrences.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { TimeZones } from "../../domain/time-zones/time-zones.ts";
import type { Caller } from "../../domain/access.ts";
import type { Clock } from "../../platform/clock.ts";
import type { PlacesInTurn } from "../../platform/places-in-turn.ts";
import { pause } from "../../platform/timers.ts";
import type { Timers } from "../../platform/timers.ts";
import { readGivenTime } from "../messages/given-time.ts";
import { noOccurrence, readRecurrence } from "./given-recurrence.ts";
import type { GivenRecurrence } from "./given-recurrence.ts";
import { viewOccurrence } from "./view-occurrence.ts";
import type { OccurrenceView } from "./view-occurrence.ts";

export interface PreviewOptions {
  readonly timeZones: TimeZones;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Accounts take turns: a costly search is the only thing that the node does meanwhile. */
  readonly schedulePreviews: Pick<PlacesInTurn, "run">;
}

/** One at a time. */
export const schedulePreviewPlaces = { places: 1 };

export interface GivenPreview extends GivenRecurrence {
  readonly maxRuns?: number | null | undefined;
  readonly from?: string | undefined;
  readonly count?: number | undefined;
}

const usualCount = 10;

/** The occurrences that a schedule would have, without one. It reads nothing from the store. */
export function previewSchedule(
  options: PreviewOptions,
  { accountId }: Pick<Caller, "accountId">,
  given: GivenPreview,
  formProblems: readonly Problem[] = [],
): Promise<OccurrenceView[]> {
  const { clock, timers, schedulePreviews } = options;
  return schedulePreviews.run(accountId, async () => {
    const began = clock.monotonic();
    try {
      return occurrencesFor(options, given, formProblems);
    } finally {
      // Rests for as long as it worked, so that half of the time is left to others.
      await pause(timers, clock.monotonic() - began);
    }
  });
}

/** The same for who has a processor to itself. */
export function occurrencesFor(
  { timeZones, clock }: Pick<PreviewOptions, "timeZones"> & { readonly clock: Pick<Clock, "now"> },
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
  if (found.length === 0) {
    const { endTime } = recurrence;
    const never = { since: from, endTime, bounds: ", except and from" };
    throw new RequestRefused(noOccurrence(given, never));
  }
  return found;
}
