import type { Command } from "commander";
import { utc, type Zone } from "../../domain/time-zones/time-zone.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { momentText } from "./moment/moment-text.ts";
import { parseMoment, type Direction, type Moment, type MomentContext } from "./moment/moment.ts";
import { readOption } from "./read-option.ts";
import { remark, type Remark } from "./remark.ts";
import { namedZone, refuseIdleZone, withZone, zoneOf, type ZoneOptions } from "./zone-option.ts";

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
  addZone = (ranged: Command) => withZone(ranged),
): Command {
  const [relative, day] =
    direction === "ahead" ? ["1h (from now), -1h", "tomorrow"] : ["1h (ago), +1h", "yesterday"];
  return addZone(
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
  const { forInput, forOutput } = zoneOf(options, surroundings);
  const ends = readEnds({ minTime, maxTime }, { now, direction, zone: forInput }, names);
  // Whoever names a zone wants to see the times in it.
  const isClear = options.zone === undefined && areWrittenOut(ends);
  return rangeOf(ends, { now, zone: forOutput, isClear, names });
}

/** The same on the clocks of --zone, or else of the zone that `ownZone` finds. */
export async function timeRangeIn(
  ownZone: () => Promise<Zone>,
  { minTime, maxTime, zone: zoneName }: TimeRangeOptions,
  { now, direction }: { readonly now: number; readonly direction: Direction },
  names: RangeNames,
): Promise<TimeRange> {
  const given = zoneName === undefined ? undefined : namedZone(zoneName);
  const read = (zone: Zone): Ends =>
    readEnds({ minTime, maxTime }, { now, direction, zone: () => zone }, names);
  // What cannot be read at all fails before the service is asked for a zone.
  const ends = read(given ?? utc);
  if (given === undefined && areWrittenOut(ends)) {
    return rangeOf(ends, { now, zone: utc, isClear: true, names });
  }
  const zone = given ?? (await ownZone());
  return rangeOf(read(zone), { now, zone, isClear: false, names });
}

interface Ends {
  readonly min: Moment | undefined;
  readonly max: Moment | undefined;
}

function readEnds(
  {
    minTime,
    maxTime,
  }: { readonly minTime?: string | undefined; readonly maxTime?: string | undefined },
  context: MomentContext,
  names: RangeNames,
): Ends {
  const read = (name: string, text: string | undefined): Moment | undefined =>
    text === undefined ? undefined : readOption(name, text, (given) => parseMoment(given, context));
  return { min: read(names.min, minTime), max: read(names.max, maxTime) };
}

function areWrittenOut({ min, max }: Ends): boolean {
  return [min, max].every((moment) => moment?.isWrittenOut ?? true);
}

interface RangeReading {
  readonly now: number;
  readonly zone: Zone;
  /** The user wrote it so that it needs no explanation. */
  readonly isClear: boolean;
  readonly names: RangeNames;
}

function rangeOf({ min, max }: Ends, { now, zone, isClear, names }: RangeReading): TimeRange {
  if (min !== undefined && max !== undefined && min.time > max.time) {
    throw new CommandFailed(
      exitCodes.usage,
      `${names.min} ${min.text} is after ${names.max} ${max.text}: nothing lies in between.`,
    );
  }
  const shown = (moment: Moment): string => momentText(moment, now, zone);
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
