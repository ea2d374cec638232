import type { Command } from "commander";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import { parseMoment, type Direction, type Moment } from "./moment.ts";
import { timeBeside } from "../terminal/relative-time.ts";
import { readOption } from "./read-option.ts";

export interface TimeRangeOptions {
  readonly minTime?: string;
  readonly maxTime?: string;
}

/** Adds the time range to a list of the future or of the past. */
export function withTimeRange(command: Command, direction: Direction): Command {
  const relative = direction === "ahead" ? "1h (from now), -1h" : "1h (ago), +1h";
  return command
    .option("--min-time <time>", `none before this time: 2027-01-01T09:00:00Z, ${relative}, now`)
    .option("--max-time <time>", "none after this time, written in the same ways");
}

export interface TimeRange {
  /** The query for the service. */
  readonly query: { readonly minTime: string | undefined; readonly maxTime: string | undefined };
  /** The range in full, for the user; undefined if the user already gave full times. */
  readonly understood: string | undefined;
}

export function timeRangeOf(
  { minTime, maxTime }: TimeRangeOptions,
  now: number,
  direction: Direction,
): TimeRange {
  const read = (name: string, text: string | undefined): Moment | undefined =>
    text === undefined
      ? undefined
      : readOption(name, text, (given) => parseMoment(given, now, direction));
  const min = read("--min-time", minTime);
  const max = read("--max-time", maxTime);
  if (min !== undefined && max !== undefined && min.time > max.time) {
    throw new CommandFailed(
      exitCodes.usage,
      `--min-time ${min.text} is after --max-time ${max.text}: nothing lies in between.`,
    );
  }
  return {
    query: { minTime: min?.text, maxTime: max?.text },
    understood: understoodOf(min, max, now),
  };
}

function understoodOf(
  min: Moment | undefined,
  max: Moment | undefined,
  now: number,
): string | undefined {
  if (min?.isRelative !== true && max?.isRelative !== true) return undefined;
  const ends = [
    ...(min === undefined ? [] : [`from ${timeBeside(min.text, now)}`]),
    ...(max === undefined ? [] : [`to ${timeBeside(max.text, now)}`]),
  ].join(" ");
  return `${ends[0]!.toUpperCase()}${ends.slice(1)}.`;
}
