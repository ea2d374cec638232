import type { Command } from "commander";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { momentText } from "./moment/moment-text.ts";
import { parseMoment, type Direction, type Moment } from "./moment/moment.ts";
import { readOption } from "./read-option.ts";
import { remark, type Remark } from "./remark.ts";
import { refuseIdleZone, withZone, zoneOf, type ZoneOptions } from "./zone-option.ts";

export interface TimeRangeOptions extends ZoneOptions {
  readonly minTime?: string;
  readonly maxTime?: string;
}

/** What the two ends are called. */
export interface RangeNames {
  readonly min: string;
  readonly max: string;
}

const usualNames: RangeNames = { min: "--min-time", max: "--max-time" };

/** Adds the time range to a command about the future or the past. */
export function withTimeRange(
  command: Command,
  direction: Direction,
  { min, max } = usualNames,
): Command {
  const [relative, day] =
    direction === "ahead" ? ["1h (from now), -1h", "tomorrow"] : ["1h (ago), +1h", "yesterday"];
  return withZone(
    command
      .option(
        `${min} <time>`,
        `none before this time: 2027-01-01T09:00:00Z, "${day} 9:00", ${relative}, now`,
      )
      .option(`${max} <time>`, "none after this time, written in the same ways"),
  );
}

export interface TimeRange {
  /** The query for the service. */
  readonly query: { readonly minTime?: string; readonly maxTime?: string };
  /** How the times were understood, for the user. */
  readonly understood: readonly Remark[];
}

export function timeRangeOf(
  { minTime, maxTime, ...options }: TimeRangeOptions,
  surroundings: Surroundings,
  direction: Direction,
  names = usualNames,
): TimeRange {
  if (minTime === undefined && maxTime === undefined) {
    const ends = `${names.min} and ${names.max}`;
    refuseIdleZone(options, `--zone says how to read ${ends}: give one of them.`);
  }
  const now = surroundings.clock.now();
  const zone = zoneOf(options, surroundings);
  const read = (name: string, text: string | undefined): Moment | undefined =>
    text === undefined
      ? undefined
      : readOption(name, text, (given) =>
          parseMoment(given, { now, direction, zone: zone.forInput }),
        );
  const min = read(names.min, minTime);
  const max = read(names.max, maxTime);
  if (min !== undefined && max !== undefined && min.time > max.time) {
    throw new CommandFailed(
      exitCodes.usage,
      `${names.min} ${min.text} is after ${names.max} ${max.text}: nothing lies in between.`,
    );
  }
  const shown = (moment: Moment): string => momentText(moment, now, zone.forOutput);
  // Whoever names a zone wants to see the times in it.
  const isClear =
    options.zone === undefined && [min, max].every((moment) => moment?.isWrittenOut ?? true);
  return {
    query: { ...(min && { minTime: min.text }), ...(max && { maxTime: max.text }) },
    understood: isClear ? [] : understoodOf(min, max, shown),
  };
}

function understoodOf(
  min: Moment | undefined,
  max: Moment | undefined,
  shown: (moment: Moment) => string,
): Remark[] {
  const ends = [
    ...(min === undefined ? [] : [`from ${shown(min)}`]),
    ...(max === undefined ? [] : [`to ${shown(max)}`]),
  ].join(" ");
  const choices = [min, max].flatMap((moment) => moment?.choice ?? []);
  const isNextDay = [min, max].some((moment) => moment?.isNextDay);
  const line = `${ends[0]!.toUpperCase()}${ends.slice(1)}.`;
  return [remark(line, isNextDay), ...choices.map((choice) => remark(choice))];
}
