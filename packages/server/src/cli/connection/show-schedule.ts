import type { Occurrence, PreviewInput, Schedule } from "@postdate/client";
import { findZone } from "../../domain/time-zones/time-zone.ts";
import { formatTime, parseTime } from "../../domain/times.ts";
import { CommandFailed } from "../failures/exit-codes.ts";
import { occurrenceRows } from "../print/occurrences.ts";
import { scheduleCard } from "../print/schedules.ts";
import type { Look } from "../terminal/look.ts";
import type { Connection } from "./connection.ts";

const shownRuns = 5;
const mostOccurrences = 100;

/** Shows a schedule and its next runs on the clocks of its zone and in UTC. With --json, the schedule alone. */
export async function showSchedule(
  connection: Connection,
  schedule: Schedule,
  words: (schedule: Schedule, look: Look) => string = scheduleCard,
): Promise<void> {
  const { json, show, worded } = connection;
  const found = json ? [] : await nextOccurrences(connection, schedule);
  show(schedule, (shown, look) => {
    const runs = worded(found, (occurrences) => runsText(shown, occurrences, look));
    return words(shown, look) + runs;
  });
}

/**
 * As the service computes them: its time-zone data counts. Empty if there are none. The schedule has been changed
 * already, so that a failure here is only worth a hint.
 */
export async function nextOccurrences(
  { service, hint, worded }: Connection,
  schedule: Schedule,
): Promise<readonly Occurrence[]> {
  const wanted = worded(schedule, previewOf);
  if (wanted === null) return [];
  try {
    return await service.ask(({ schedules }) => schedules.preview(wanted));
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    hint(`The next runs cannot be shown: ${error.message}`);
    return [];
  }
}

/** Null if the schedule has no run to come. */
function previewOf(schedule: Schedule): PreviewInput | null {
  const { nextRunTime, paused, creationTime, skips, lastRun, maxRuns } = schedule;
  const { cron, everyMs, at, timeZone, startTime, endTime, except } = schedule;
  if (nextRunTime === null) return null;
  return {
    ...{ cron, everyMs, at, timeZone, endTime, except },
    // An interval counts from the creation, unless it has a start.
    startTime: everyMs === null ? startTime : (startTime ?? creationTime),
    // How many are left is known only before the first.
    ...(lastRun === null && { maxRuns }),
    ...(paused && { from: justBefore(nextRunTime) }),
    count: Math.min(shownRuns + skips.length, mostOccurrences),
  };
}

function justBefore(time: string): string {
  const parsed = parseTime(time);
  return parsed.ok ? formatTime(parsed.time - 1) : time;
}

function runsText({ timeZone, skips }: Schedule, found: readonly Occurrence[], look: Look): string {
  const occurrences = upToLastRun(found, skips);
  if (occurrences.length === 0) return "";
  const shown = { occurrences, zoneName: timeZone, zone: findZone(timeZone), skips };
  return `\n${occurrenceRows({ ...shown, after: look.now }, look)}`;
}

/** So many runs, and what is skipped between them. */
function upToLastRun(
  found: readonly Occurrence[],
  skips: readonly string[],
): readonly Occurrence[] {
  const runs = found.filter(({ time }) => !skips.includes(time));
  const last = runs.slice(0, shownRuns).at(-1);
  return last === undefined ? [] : found.slice(0, found.indexOf(last) + 1);
}
