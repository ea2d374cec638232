import { parseCron } from "../../domain/schedules/cron/parse-cron.ts";
import type { Problem } from "../../domain/refusals.ts";
import { TimeZones } from "../../domain/time-zones/time-zones.ts";
import {
  readRecurrence,
  type GivenRecurrence,
} from "../../operations/schedules/given-recurrence.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";

/** The options for the fields of the API that have other names. */
const optionOf: Readonly<Record<string, string>> = {
  cron: "--cron",
  except: "--except",
  everyMs: "--every",
  timeZone: "--zone",
  startTime: "--start",
  endTime: "--end",
  maxRuns: "--max-runs",
  flexWindowMs: "--flex",
  catchUp: "--catch-up",
  pauseAfterDeadLetters: "--pause-after-dead-letters",
};

/** Fails if the service would refuse this as a recurrence. Whether it ever occurs is for the service to say. */
export function refuseWrongRecurrence(given: GivenRecurrence, now: number): void {
  const problems: Problem[] = [];
  readRecurrence(new TimeZones(), given, now, problems);
  if (problems.length > 0) throw wrongRecurrence(given, problems);
}

/** Names the options, and marks in each expression the character that is wrong. */
export function wrongRecurrence(
  given: GivenRecurrence,
  problems: readonly Problem[],
): CommandFailed {
  const named = problems.map(({ code, message, field = "" }) => {
    const [name = ""] = field.split("[", 1);
    return { code, message: inOptions(message, given), field: optionOf[name] ?? `--${name}` };
  });
  const lines = named.map(({ code, message, field }) => `${code}: ${message} (${field})`);
  const marked = [given.cron ?? []].flat().flatMap(pointed);
  return new CommandFailed(exitCodes.usage, ...marked, ...lines).because(named);
}

/** What the service says of its fields, in options. Other failures stay as they are. */
export function withOptionsNamed(error: unknown, given: GivenRecurrence): unknown {
  if (!(error instanceof CommandFailed)) return error;
  const lines = error.lines.map((line) => inOptions(line, given));
  return new CommandFailed(error.exitCode, ...lines).because(error.problems);
}

const lists = /\b(cron|at|except)\[(\d+)\]/g;
/** "at" is a word of other sentences, too. */
const leadingAt = /^((?:E-DI-\d+: )?)at (?=has|cannot|and)/;
const otherFields = new RegExp(
  `(?<![-\\w"])(?:${Object.keys(optionOf).join("|")})(?![-\\w"])`,
  "g",
);

/** What is written for callers of the API, for people at a terminal. */
function inOptions(message: string, given: GivenRecurrence): string {
  return message
    .replaceAll(otherFields, (field, at: number) =>
      message[at + field.length] === "[" ? field : optionOf[field]!,
    )
    .replace(leadingAt, "$1--at ")
    .replaceAll(lists, (_, name: "cron" | "at" | "except", index: string) => {
      const text = [given[name] ?? []].flat()[Number(index)];
      return text === undefined ? `--${name}` : `--${name} ${JSON.stringify(text)}`;
    });
}

/** The expression, and below it a mark under the character that is wrong. */
function pointed(text: string): string[] {
  const parsed = parseCron(text);
  if (parsed.ok) return [];
  const before = text.slice(0, parsed.at).replaceAll(/[^\t]/g, " ");
  return [`  ${text}`, `  ${before}^`];
}
