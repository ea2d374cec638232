import type { Schedule } from "@postdate/client";
import type { Command } from "commander";
import { codes } from "../../domain/refusals.ts";
import { findZone, utc, type Zone } from "../../domain/time-zones/time-zone.ts";
import { parseTime } from "../../domain/times.ts";
import { apiCommand, connect, type Connection } from "../connection/connection.ts";
import { askAboutSchedule, readSchedule } from "../connection/look-up-schedule.ts";
import { nextOccurrences, showSchedule } from "../connection/show-schedule.ts";
import { zoneOfSchedule } from "../connection/zone-of-schedule.ts";
import { CommandFailed } from "../failures/exit-codes.ts";
import { explained, type HelpText } from "../help/help-text.ts";
import { momentText } from "../input/moment/moment-text.ts";
import { namedMomentOf, type NamedMoment } from "../input/named-moment.ts";
import { withOptionsNamed } from "../input/options-named.ts";
import { withScheduleZone, type ZoneOptions } from "../input/zone-option.ts";
import { someOf } from "../print/schedule-words.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

interface SkipCommand {
  readonly verb: "skip" | "unskip";
  readonly description: string;
  readonly help: HelpText;
  readonly meaning: string;
  /** The service says it for programs. */
  readonly noSuchRun: (scheduleId: string) => string;
  /** What could have been meant, if the service knows no such run. */
  readonly advice: (
    connection: Connection,
    schedule: Schedule,
    shown: (time: string) => string,
  ) => string | Promise<string>;
}

const exactly =
  "The time is exactly that of a run. It is read on the clocks of the schedule, or of --zone.";

export function addScheduleSkip(schedule: Command, surroundings: Surroundings): void {
  addSkipCommand(schedule, surroundings, {
    verb: "skip",
    description: "skip one run to come",
    help: explained(
      exactly,
      ['postdate schedule skip digest "tomorrow 9:00"', "not tomorrow"],
      ["postdate schedule skip digest 2026-12-24T08:00:00Z", "not on that day"],
    ),
    meaning: "Skipped: there will be no run at",
    noSuchRun: (scheduleId) => `${scheduleId} has no run to come at this time.`,
    advice: nextRunsText,
  });
}

export function addScheduleUnskip(schedule: Command, surroundings: Surroundings): void {
  addSkipCommand(schedule, surroundings, {
    verb: "unskip",
    description: "make a run after all that was skipped",
    help: explained(exactly, ['postdate schedule unskip digest "tomorrow 9:00"', "tomorrow again"]),
    meaning: "A run again at",
    noSuchRun: (scheduleId) => `${scheduleId} has no skipped run to come at this time.`,
    advice: skippedText,
  });
}

function addSkipCommand(
  schedule: Command,
  surroundings: Surroundings,
  { verb, description, help, meaning, noSuchRun, advice }: SkipCommand,
): void {
  const command = withScheduleZone(apiCommand(schedule, `${verb} <scheduleId> <time>`))
    .description(description)
    .addHelpText("after", help)
    .action(async (scheduleId: string, text: string, options: ZoneOptions) => {
      const connection = connect(command, surroundings);
      const { service } = connection;
      const now = surroundings.clock.now();
      const toRead = { name: "The time", text, meaning, ...options };
      const moment = await namedMomentOf(toRead, now, () => zoneOfSchedule(connection, scheduleId));
      const changed = await askAboutSchedule(service, scheduleId, ({ schedules }) =>
        schedules[verb](scheduleId, moment.time),
      ).catch((error: unknown) =>
        adviseOnTime(error, { connection, scheduleId, moment, now, noSuchRun, advice }),
      );
      connection.explain(moment.understood);
      await showSchedule(connection, changed);
    });
}

interface RefusedTime extends Pick<SkipCommand, "noSuchRun" | "advice"> {
  readonly connection: Connection;
  readonly scheduleId: string;
  readonly moment: NamedMoment;
  readonly now: number;
}

async function adviseOnTime(
  error: unknown,
  { connection, scheduleId, moment, now, noSuchRun, advice }: RefusedTime,
): Promise<never> {
  const isNoRun =
    error instanceof CommandFailed &&
    error.problems.some(({ code }) => code === codes.noOpenOccurrence);
  if (!isNoRun) throw withOptionsNamed(error);
  const { service, worded } = connection;
  const schedule = await readSchedule(service, scheduleId);
  const zone = moment.zone ?? worded(schedule, ({ timeZone }) => findZone(timeZone) ?? utc);
  const line = await advice(connection, schedule, (time) => zonedText(time, now, zone));
  const refusal = `${codes.noOpenOccurrence}: ${noSuchRun(scheduleId)}`;
  const lines = [refusal, ...moment.readAs, line];
  throw new CommandFailed(error.exitCode, ...lines).because(error.problems);
}

function zonedText(time: string, now: number, zone: Zone): string {
  const parsed = parseTime(time);
  return parsed.ok ? momentText({ time: parsed.time, fromNowMs: null }, now, zone) : time;
}

const namedRuns = 3;

async function nextRunsText(
  connection: Connection,
  schedule: Schedule,
  shown: (time: string) => string,
): Promise<string> {
  const { scheduleId, skips } = schedule;
  const found = await nextOccurrences(connection, schedule);
  const runs = found.map(({ time }) => time).filter((time) => !skips.includes(time));
  if (runs.length === 0) return `${scheduleId} has no run to come.`;
  return `Its next runs: ${runs.slice(0, namedRuns).map(shown).join(", ")}.`;
}

function skippedText(
  _connection: Connection,
  { scheduleId, skips }: Schedule,
  shown: (time: string) => string,
): string {
  if (skips.length === 0) return `No run of ${scheduleId} is skipped.`;
  return `Skipped: ${someOf(skips.map(shown))}.`;
}
