import type { Message, Occurrence, PreviewInput, Schedule } from "@postdate/client";
import { findZone } from "../../domain/time-zones/time-zone.ts";
import { CommandFailed } from "../failures/exit-codes.ts";
import { occurrenceRows } from "../print/occurrences.ts";
import { scheduleCard } from "../print/schedules.ts";
import type { Look } from "../terminal/look.ts";
import type { Connection } from "./connection.ts";
import { justBefore, recurrenceOfSchedule } from "./recurrence-of-schedule.ts";

const shownRuns = 5;
const mostOccurrences = 100;

/** Shows a schedule and its next runs on the clocks of its zone and in UTC. With --json, the schedule alone. */
export async function showSchedule(
  connection: Connection,
  schedule: Schedule,
  words: Words = scheduleCard,
): Promise<void> {
  const { json, show, worded } = connection;
  const [waitedFor, found] = json
    ? [null, []]
    : [await readWaitedFor(connection, schedule), await nextOccurrences(connection, schedule)];
  show(schedule, (shown, look) => {
    const card = worded(waitedFor, (message) => words(shown, look, message));
    return card + worded(found, (occurrences) => runsText(shown, occurrences, look));
  });
}

/** The message that the schedule waits for comes with it. */
type Words = (schedule: Schedule, look: Look, waitedFor: Message | null) => string;

/** Null if nothing waits, or if the message cannot be read. */
async function readWaitedFor(
  { service }: Connection,
  { waitsForMessageId }: Schedule,
): Promise<Message | null> {
  if (typeof waitsForMessageId !== "string") return null;
  try {
    return await service.ask(({ messages }) => messages.get(waitsForMessageId));
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    return null;
  }
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
  const { nextRunTime, paused, skips, waitsForMessageId } = schedule;
  if (nextRunTime === null) return null;
  return {
    ...recurrenceOfSchedule(schedule),
    ...((paused || typeof waitsForMessageId === "string") && { from: justBefore(nextRunTime) }),
    count: Math.min(shownRuns + skips.length, mostOccurrences),
  };
}

function runsText(schedule: Schedule, found: readonly Occurrence[], look: Look): string {
  const { timeZone, skips } = schedule;
  const occurrences = upToLastRun(found, schedule);
  if (occurrences.length === 0) return "";
  const shown = { occurrences, zoneName: timeZone, zone: findZone(timeZone), skips };
  return `\n${occurrenceRows({ ...shown, after: look.now }, look)}`;
}

/** So many runs, as far as they are left, and what is skipped between them. */
function upToLastRun(
  found: readonly Occurrence[],
  { skips, nextRunTime, runsLeft }: Schedule,
): readonly Occurrence[] {
  const runs = found.filter(({ time }) => !skips.includes(time));
  // What is made ahead comes before the next one that is not, and is no longer among those that are left.
  const madeAhead = runs.filter(({ time }) => nextRunTime !== null && time < nextRunTime).length;
  const most = Math.min(shownRuns, madeAhead + (runsLeft ?? Infinity));
  const last = runs.slice(0, most).at(-1);
  return last === undefined ? [] : found.slice(0, found.indexOf(last) + 1);
}
