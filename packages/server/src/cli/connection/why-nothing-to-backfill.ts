import type { BackfillInput, Occurrence, Schedule } from "@postdate/client";
import { codes } from "../../domain/refusals.ts";
import { findZone, utc } from "../../domain/time-zones/time-zone.ts";
import { parseTime } from "../../domain/times.ts";
import { CommandFailed } from "../failures/exit-codes.ts";
import { momentText } from "../input/moment/moment-text.ts";
import type { Connection } from "./connection.ts";
import { readSchedule } from "./look-up-schedule.ts";
import { justBefore, recurrenceOfSchedule } from "./recurrence-of-schedule.ts";

/** Says whether the schedule was not due between two times, or was due and has had its runs. */
export async function whyNothing(
  connection: Connection,
  scheduleId: string,
  { from, to }: BackfillInput,
): Promise<string> {
  const schedule = await readSchedule(connection.service, scheduleId);
  const first = await firstRunTime(connection, schedule, String(from));
  return connection.worded({ schedule, first }, (read, { now }) => {
    const shown = (text: string): string => zonedText(text, now, read.schedule.timeZone);
    const time = read.first?.time;
    const end = to === undefined ? now : instantOf(String(to));
    if (time !== undefined && instantOf(time) <= end) {
      return `There is no run to make: each run time of ${scheduleId} in between has had its run, or is still to be decided. \`postdate schedule runs ${scheduleId}\` shows what became of them.`;
    }
    const next = time === undefined ? "None comes later." : `The next is ${shown(time)}.`;
    const origin = countsFromCreation(read.schedule)
      ? ` Its interval counts from its creation, ${shown(read.schedule.creationTime)}.`
      : "";
    return `There is no run to make: ${scheduleId} has no run time in between. ${next}${origin}`;
  });
}

/** From this time on. Undefined: there is none. */
async function firstRunTime(
  { service }: Connection,
  schedule: Schedule,
  from: string,
): Promise<Occurrence | undefined> {
  const { creationTime } = schedule;
  const before = justBefore(from);
  // The creation itself is no run time.
  const isLater = countsFromCreation(schedule) && instantOf(creationTime) > instantOf(before);
  const after = isLater ? creationTime : before;
  const wanted = { ...recurrenceOfSchedule(schedule), from: after, count: 1 };
  try {
    const [first] = await service.ask(({ schedules }) => schedules.preview(wanted));
    return first;
  } catch (error) {
    const isNever =
      error instanceof CommandFailed &&
      error.problems.some(({ code }) => code === codes.noOccurrence);
    if (isNever) return undefined;
    throw error;
  }
}

function countsFromCreation({ everyMs, startTime }: Schedule): boolean {
  return everyMs !== null && startTime === null;
}

function instantOf(text: string): number {
  const parsed = parseTime(text);
  return parsed.ok ? parsed.time : NaN;
}

function zonedText(text: string, now: number, zoneName: string): string {
  const parsed = parseTime(text);
  if (!parsed.ok) return text;
  return momentText({ time: parsed.time, fromNowMs: null }, now, findZone(zoneName) ?? utc);
}
