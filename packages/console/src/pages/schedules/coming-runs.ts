import type { CallOptions, Occurrence, PreviewInput, Schedule } from "@postdate/client";
import { postdate } from "../../api/postdate.ts";

/** The most that the service answers with at once. */
const mostAtOnce = 100;
const mostCalls = 5;

/** The same recurrence as a question about its occurrences; null if there are none to come. */
export function previewOf(schedule: Schedule): PreviewInput | null {
  const { nextRunTime, paused, creationTime, lastRun, maxRuns } = schedule;
  const { cron, everyMs, at, timeZone, startTime, endTime, except } = schedule;
  if (nextRunTime === null) return null;
  return {
    ...{ cron, everyMs, at, timeZone, endTime, except },
    // An interval counts from the creation, unless it has a start.
    startTime: everyMs === null ? startTime : (startTime ?? creationTime),
    // How many are left is known only before the first.
    ...(lastRun === null && { maxRuns }),
    ...(paused && { from: new Date(Date.parse(nextRunTime) - 1) }),
  };
}

export interface ComingRuns {
  readonly occurrences: readonly Occurrence[];
  /** Whether there may be more of them before the end. */
  readonly isCut: boolean;
}

/** What is due until a time, as far as some calls tell. */
export async function readUntil(
  preview: PreviewInput,
  until: number,
  options: CallOptions,
): Promise<ComingRuns> {
  const occurrences: Occurrence[] = [];
  for (let call = 0; call < mostCalls; call++) {
    const last = occurrences.at(-1);
    const found = await postdate.schedules.preview(
      { ...preview, ...(last && { from: last.time }), count: mostAtOnce },
      options,
    );
    const wanted = found.filter(({ time }) => Date.parse(time) <= until);
    occurrences.push(...wanted);
    if (wanted.length < mostAtOnce) return { occurrences, isCut: false };
  }
  return { occurrences, isCut: true };
}
