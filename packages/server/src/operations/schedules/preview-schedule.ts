import { occurrencesOf } from "../../domain/schedules/occurrences/occurrences.ts";
import { RequestRefused } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import { scheduleIdPattern } from "../../domain/schedules/schedule-id.ts";
import type { TimeZones } from "../../domain/time-zones/time-zones.ts";
import type { Caller } from "../../domain/access.ts";
import type { Clock } from "../../platform/clock.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import type { Store } from "../../storage/store.ts";
import type { PlacesInTurn } from "../../platform/places-in-turn.ts";
import { pause } from "../../platform/timers.ts";
import type { Timers } from "../../platform/timers.ts";
import { readGivenTime } from "../messages/given-time.ts";
import { payloadProblem, targetProblem } from "../messages/message-draft.ts";
import type { GivenNewSchedule } from "./create-schedule.ts";
import { noOccurrence, readRecurrence, refuseAbbreviation } from "./given-recurrence.ts";
import { readRunOptions } from "./given-run-options.ts";
import { badScheduleId } from "./schedule-ref.ts";
import { viewOccurrence } from "./view-occurrence.ts";
import type { OccurrenceView } from "./view-occurrence.ts";

export interface PreviewOptions {
  readonly store: Pick<Store, "getTarget">;
  readonly secretBox: SecretBox;
  readonly timeZones: TimeZones;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Accounts take turns: a costly search is the only thing that the node does meanwhile. */
  readonly schedulePreviews: Pick<PlacesInTurn, "run">;
}

/** One at a time. */
export const schedulePreviewPlaces = { places: 1 };

export interface GivenPreview extends GivenNewSchedule {
  readonly from?: string | undefined;
  readonly count?: number | undefined;
}

const usualCount = 10;

/**
 * The occurrences that a schedule would have, without one. What says nothing about them is only checked, as if the
 * schedule were created.
 */
export async function previewSchedule(
  options: PreviewOptions,
  { accountId }: Pick<Caller, "accountId">,
  given: GivenPreview,
  formProblems: readonly Problem[] = [],
): Promise<OccurrenceView[]> {
  const { clock, timers, schedulePreviews } = options;
  const problems = [...formProblems, ...(await otherProblems(options, accountId, given))];
  return schedulePreviews.run(accountId, async () => {
    const began = clock.monotonic();
    try {
      return occurrencesFor(options, given, problems);
    } finally {
      // Rests for as long as it worked, so that half of the time is left to others.
      await pause(timers, clock.monotonic() - began);
    }
  });
}

/** What is wrong with the fields that say nothing about when the schedule is due. */
async function otherProblems(
  { store, secretBox }: Pick<PreviewOptions, "store" | "secretBox">,
  accountId: string,
  { scheduleId, targetId, payload, message }: GivenPreview,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  readRunOptions(message, { problems, secretBox });
  const isBadId = scheduleId !== undefined && !scheduleIdPattern.test(scheduleId);
  const badPayload = payload === undefined ? undefined : payloadProblem(payload);
  const badTarget = await targetProblem(store, accountId, targetId);
  const others = [isBadId ? badScheduleId : undefined, badPayload, badTarget];
  return [...problems, ...others.filter((problem) => problem !== undefined)];
}

/** The same for who has a processor to itself. */
export function occurrencesFor(
  { timeZones, clock }: Pick<PreviewOptions, "timeZones"> & { readonly clock: Pick<Clock, "now"> },
  given: GivenPreview,
  formProblems: readonly Problem[] = [],
): OccurrenceView[] {
  const problems = [...formProblems];
  refuseAbbreviation(timeZones, given, problems);
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
