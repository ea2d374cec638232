import { Option, type Command } from "commander";
import { InvalidValue } from "../../config/invalid-value.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import { suggestOption } from "../help/unknown-words.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { isAbbreviation } from "../../domain/time-zones/abbreviations.ts";
import { findZone, utc, type Zone } from "../../domain/time-zones/time-zone.ts";
import { readOption } from "./read-option.ts";

export interface ZoneOptions {
  readonly zone?: string;
}

/** A command whose options have several times has one zone for all of them. */
export function withZone(command: Command, otherwise = "TZ; default: of this machine"): Command {
  if (command.options.some(({ long }) => long === "--zone")) return command;
  return withZoneOption(
    command,
    new Option(
      "--zone <zone>",
      `the time zone of times without an offset, such as Europe/Berlin (${otherwise})`,
    ),
  );
}

/** Adds the option, and knows what else people call it. */
export function withZoneOption(command: Command, option: Option): Command {
  return suggestOption(command.addOption(option), "--zone", ["tz", "timezone", "time-zone"]);
}

/** For times that belong to one schedule. */
export function withScheduleZone(command: Command): Command {
  return withZone(command, "default: that of the schedule");
}

/** A zone without a time that it could matter to is a mistake. */
export function refuseIdleZone({ zone }: ZoneOptions, reason: string): void {
  if (zone !== undefined) throw new CommandFailed(exitCodes.usage, reason);
}

export interface ChosenZone {
  /** For a time that depends on the zone. Throws `InvalidValue` if TZ names none. */
  readonly forInput: () => Zone;
  /** For a time that is shown. */
  readonly forOutput: Zone;
}

export function zoneOf(
  { zone }: ZoneOptions,
  { env, timeZone }: Pick<Surroundings, "env" | "timeZone">,
): ChosenZone {
  if (zone !== undefined) {
    const given = namedZone(zone);
    return { forInput: () => given, forOutput: given };
  }
  const variable = env["TZ"] || undefined;
  if (variable === undefined) {
    const own = findZone(timeZone) ?? utc;
    return { forInput: () => own, forOutput: own };
  }
  // Node.js takes a TZ that it does not know, such as CET-1CEST, for UTC.
  const name = variable.replace(/^:?(?:\/usr\/share\/zoneinfo\/)?/, "");
  return {
    forOutput: findZone(name) ?? utc,
    forInput: () => readOption("TZ", name, existing),
  };
}

/** The zone of this name in --zone. */
export function namedZone(name: string): Zone {
  return readOption("--zone", name, existing);
}

function existing(name: string): Zone {
  if (isAbbreviation(name)) {
    throw new InvalidValue(
      `is an abbreviation, and most of them stand for several zones: "${name}"; write one like Europe/London, America/Chicago or UTC, with --zone`,
    );
  }
  const zone = findZone(name);
  if (zone !== undefined) return zone;
  throw new InvalidValue(
    `is not a time zone: "${name}"; write one like Europe/Berlin, America/New_York or UTC, with --zone`,
  );
}
