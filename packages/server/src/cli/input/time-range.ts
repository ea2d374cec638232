import type { Command } from "commander";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { momentText } from "./moment/moment-text.ts";
import { parseMoment, type Direction, type Moment } from "./moment/moment.ts";
import { readOption } from "./read-option.ts";
import { refuseIdleZone, withZone, zoneOf, type ZoneOptions } from "./zone-option.ts";

export interface TimeRangeOptions extends ZoneOptions {
  readonly minTime?: string;
  readonly maxTime?: string;
}

/** Adds the time range to a list of the future or of the past. */
export function withTimeRange(command: Command, direction: Direction): Command {
  const [relative, day] =
    direction === "ahead" ? ["1h (from now), -1h", "tomorrow"] : ["1h (ago), +1h", "yesterday"];
  return withZone(
    command
      .option(
        "--min-time <time>",
        `none before this time: 2027-01-01T09:00:00Z, "${day} 9:00", ${relative}, now`,
      )
      .option("--max-time <time>", "none after this time, written in the same ways"),
  );
}

export interface TimeRange {
  /** The query for the service. */
  readonly query: { readonly minTime?: string; readonly maxTime?: string };
  /** How the times were understood, for the user. */
  readonly understood: readonly string[];
}

export function timeRangeOf(
  { minTime, maxTime, ...options }: TimeRangeOptions,
  surroundings: Surroundings,
  direction: Direction,
): TimeRange {
  if (minTime === undefined && maxTime === undefined) {
    refuseIdleZone(options, "--zone says how to read --min-time and --max-time: give one of them.");
  }
  const now = surroundings.clock.now();
  const zone = zoneOf(options, surroundings);
  const read = (name: string, text: string | undefined): Moment | undefined =>
    text === undefined
      ? undefined
      : readOption(name, text, (given) =>
          parseMoment(given, { now, direction, zone: zone.forInput }),
        );
  const min = read("--min-time", minTime);
  const max = read("--max-time", maxTime);
  if (min !== undefined && max !== undefined && min.time > max.time) {
    throw new CommandFailed(
      exitCodes.usage,
      `--min-time ${min.text} is after --max-time ${max.text}: nothing lies in between.`,
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
): string[] {
  const ends = [
    ...(min === undefined ? [] : [`from ${shown(min)}`]),
    ...(max === undefined ? [] : [`to ${shown(max)}`]),
  ].join(" ");
  const choices = [min, max].flatMap((moment) => moment?.choice ?? []);
  return [`${ends[0]!.toUpperCase()}${ends.slice(1)}.`, ...choices];
}
