import { Option, type Command } from "commander";
import { InvalidValue } from "../../config/invalid-value.ts";
import type { Zone } from "../../domain/time-zones/time-zone.ts";
import type { GivenRecurrence } from "../../operations/schedules/given-recurrence.ts";
import { durationMsOf } from "./moment/duration-words.ts";
import { remarksOn } from "./moment-remarks.ts";
import { parseMoment, type Moment } from "./moment/moment.ts";
import { collect, readOption, readOrNone } from "./read-option.ts";
import type { Remark } from "./remark.ts";
import { withZoneOption } from "./zone-option.ts";

/** When a schedule is due. */
export interface RecurrenceFlags {
  readonly cron?: readonly string[];
  readonly every?: string;
  readonly at?: readonly string[];
  readonly zone?: string;
  readonly start?: string;
  readonly end?: string;
  /** False removes all that the schedule has. */
  readonly except?: readonly string[] | false;
}

const group = "When:";
const shortestIntervalMs = 1_000;
const longestIntervalMs = 366 * 86_400_000;

/** `countsFrom` says from when an interval counts without --start. */
export function withRecurrence(command: Command, countsFrom: string): Command {
  const flags = [
    new Option(
      "--cron <expression>",
      "minute, hour, day, month, weekday; repeatable: due when any is",
    )
      .argParser(collect)
      .conflicts(["every", "at"]),
    new Option(
      "--every <duration>",
      `an interval such as 90m, counted from --start or ${countsFrom}`,
    ).conflicts("at"),
    new Option(
      "--at <time>",
      "a local date and time such as 2027-01-01T09:00; repeatable",
    ).argParser(collect),
    new Option(
      "--start <time>",
      'nothing before this time: 2027-01-01T09:00:00Z, "monday 9:00", 1h',
    ),
    new Option("--end <time>", "nothing after this time, written in the same ways"),
    new Option(
      "--except <time>",
      "a local date, or date and time, to leave out; repeatable",
    ).argParser(collect),
  ];
  for (const flag of flags) command.addOption(flag.helpGroup(group));
  return command;
}

/** The zone of a schedule, which has a default unless the schedule has one already. */
export function withZoneFlag(command: Command, defaultName?: string): Command {
  const option = new Option(
    "--zone <zone>",
    "the time zone of the schedule, such as Europe/Berlin",
  ).helpGroup(group);
  if (defaultName !== undefined) option.default(defaultName);
  return withZoneOption(command, option);
}

export function saysWhen({ cron, every, at }: RecurrenceFlags): boolean {
  return [cron, every, at].some((given) => given !== undefined);
}

/** For a schedule that is not there yet. */
export function refuseNever(command: Command, flags: RecurrenceFlags): void {
  if (!saysWhen(flags)) command.error("error: say when it is due, with --cron, --every or --at");
}

export interface ReadRecurrence {
  /** The fields of a request that the flags set. `none` as a bound is null. */
  readonly fields: GivenRecurrence;
  /** How bounds were understood, for the user. */
  readonly understood: readonly Remark[];
}

/** Bounds without an offset are on the clocks of the schedule. */
export function recurrenceOf(
  flags: RecurrenceFlags,
  { now, zone }: { readonly now: number; readonly zone: () => Zone },
): ReadRecurrence {
  const { cron, every, at, start, end, except } = flags;
  const bounds = [
    { field: "startTime", name: "--start", text: start, meaning: "Nothing before" },
    { field: "endTime", name: "--end", text: end, meaning: "Nothing after" },
  ];
  const parse = (text: string): Moment => parseMoment(text, { now, direction: "ahead", zone });
  const read = bounds.flatMap(({ name, text, ...bound }) =>
    text === undefined ? [] : [{ ...bound, moment: readOrNone(name, text, parse) }],
  );
  const fields: GivenRecurrence = {
    ...(cron !== undefined && { cron: cron.length === 1 ? cron[0] : cron }),
    ...(every !== undefined && { everyMs: readOption("--every", every, parseInterval) }),
    ...(at !== undefined && { at: at.map(localTimeOf) }),
    ...(flags.zone !== undefined && { timeZone: flags.zone }),
    ...Object.fromEntries(read.map(({ field, moment }) => [field, moment?.text ?? null])),
    ...(except !== undefined && { except: except === false ? [] : except.map(localTimeOf) }),
  };
  const understood = read.flatMap(({ moment, meaning }) => {
    if (moment === null) return [];
    return remarksOn(moment, { meaning, now, zone, isClear: moment.isWrittenOut });
  });
  return { fields, understood };
}

/** People write "2027-07-01 9:00" where the service expects 2027-07-01T09:00. */
function localTimeOf(text: string): string {
  const [, date, hour, rest] = /^\s*(\d{4}-\d\d-\d\d)[Tt\s]\s*(\d\d?)(:.*?)\s*$/.exec(text) ?? [];
  return date === undefined ? text : `${date}T${hour!.padStart(2, "0")}${rest}`;
}

function parseInterval(text: string): number {
  const everyMs = durationMsOf(text);
  if (everyMs >= shortestIntervalMs && everyMs <= longestIntervalMs) return everyMs;
  throw new InvalidValue(`must be 1s to 366d, not "${text}"`);
}
