import type { DeadLetterReason, JobInput } from "@postdate/client";
import { Option, type Command } from "commander";
import { InvalidValue } from "../../config/invalid-value.ts";
import { wholeNumber } from "../../config/kinds-of-value.ts";
import { endReasons } from "../../domain/end-reason.ts";
import { parseTime } from "../../domain/times.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { labelOption, labelsOf, type LabelOptions } from "./labels.ts";
import { readOption } from "./read-option.ts";
import { remark, type Remark } from "./remark.ts";
import { timeRangeOf, withTimeRange, type TimeRangeOptions } from "./time-range.ts";

export type GivenFilter = JobInput["filter"];

/** What the options of a job say about its messages. */
export interface FilterOptions extends LabelOptions, TimeRangeOptions {
  readonly target?: string;
  readonly schedule?: string;
  readonly keyPrefix?: string;
}

export interface RedriveFilterOptions extends Omit<FilterOptions, "minTime" | "maxTime"> {
  readonly since?: string;
  readonly until?: string;
  readonly reason?: string;
  readonly status?: string;
}

export interface ReadFilter {
  readonly filter: GivenFilter;
  /** How times were understood, for the user. */
  readonly understood: readonly Remark[];
}

const rangeOfDeadLetters = { min: "--since", max: "--until" };
const deadLetterReasons = endReasons.filter((reason) => reason !== "REPLACED");

/** Which scheduled messages. The command itself has --target. */
export function withFilter(command: Command): Command {
  return withTimeRange(withNames(command), "ahead");
}

/** Which dead letters. */
export function withRedriveFilter(command: Command): Command {
  return withTimeRange(withNames(command), "back", rangeOfDeadLetters)
    .addOption(
      new Option("--reason <reason>", "only those that are dead letters for this reason")
        .choices(deadLetterReasons)
        // It reads any case, and completions and help still have the choices.
        .argParser((text: string) => text),
    )
    .option("--status <code>", "only those whose last attempt was answered with this status");
}

function withNames(command: Command): Command {
  return command
    .option("--schedule <scheduleId>", "only messages that this schedule has made")
    .addOption(labelOption("only messages that have this label"))
    .option("--key-prefix <text>", "only messages with a key that begins with this");
}

export function filterOf(
  command: Command,
  options: FilterOptions,
  surroundings: Surroundings,
): ReadFilter {
  const { query, understood } = timeRangeOf(options, surroundings, "ahead");
  return { filter: { ...namedBy(command, options), ...query }, understood };
}

export function redriveFilterOf(
  command: Command,
  { since, until, ...options }: RedriveFilterOptions,
  surroundings: Surroundings,
): ReadFilter {
  const { reason, status } = options;
  const ends = {
    ...(since !== undefined && { minTime: since }),
    ...(until !== undefined && { maxTime: until }),
  };
  const names = rangeOfDeadLetters;
  const range = timeRangeOf({ ...options, ...ends }, surroundings, "back", names);
  const { query } = range;
  return {
    filter: {
      ...namedBy(command, options),
      ...query,
      ...(reason !== undefined && {
        deadLetterReason: readOption("--reason", reason, parseReason),
      }),
      ...(status !== undefined && {
        lastStatusCode: readOption("--status", status, wholeNumber(100, 599).read),
      }),
    },
    understood: [...range.understood, ...(liesAhead(query.minTime, surroundings) ? [ahead] : [])],
  };
}

const ahead = remark("--since is in the future: no dead letter can match.", true);

function liesAhead(text: string | undefined, { clock }: Surroundings): boolean {
  const parsed = text === undefined ? undefined : parseTime(text);
  return parsed?.ok === true && parsed.time > clock.now();
}

function namedBy(command: Command, options: FilterOptions): GivenFilter {
  const { target, schedule, keyPrefix } = options;
  const labels = labelsOf(options);
  if (target === undefined && schedule === undefined && labels === undefined) {
    command.error(
      "error: say which messages: name their target, a --schedule that has made them, or a --label that they have",
    );
  }
  return {
    ...(target !== undefined && { targetId: target }),
    ...(schedule !== undefined && { scheduleId: schedule }),
    ...(labels !== undefined && { labels }),
    ...(keyPrefix !== undefined && { keyPrefix }),
  };
}

/** Any case will do, and a dash as well as an underscore. */
function parseReason(text: string): DeadLetterReason {
  const name = text.trim().toUpperCase().replaceAll("-", "_");
  const reason = deadLetterReasons.find((each) => each === name);
  if (reason !== undefined) return reason;
  throw new InvalidValue(`must be one of ${deadLetterReasons.join(", ")}, not "${text}"`);
}
