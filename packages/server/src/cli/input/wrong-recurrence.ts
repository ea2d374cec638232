import { parseCron } from "../../domain/schedules/cron/parse-cron.ts";
import type { Problem } from "../../domain/refusals.ts";
import { TimeZones } from "../../domain/time-zones/time-zones.ts";
import {
  readRecurrence,
  type GivenRecurrence,
} from "../../operations/schedules/given-recurrence.ts";
import { CommandFailed, exitCodes } from "../failures/exit-codes.ts";
import { inOptions, optionFor, withOptionsNamed } from "./options-named.ts";

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
  const named = problems.map(({ code, message, field = "" }) => ({
    ...{ code, message: withTexts(message, given), field: optionFor(field) },
  }));
  const lines = named.map(({ code, message, field }) =>
    message.includes(field) ? `${code}: ${message}` : `${code}: ${message} (${field})`,
  );
  const marked = [given.cron ?? []].flat().flatMap(pointed);
  return new CommandFailed(exitCodes.usage, ...marked, ...lines).because(named);
}

/** What the service says of a schedule, in options. */
export function withScheduleOptions(error: unknown, given: GivenRecurrence): unknown {
  return withOptionsNamed(error, (sentence) => withTexts(sentence, given));
}

const lists = /\b(cron|at|except)\[(\d+)\]/g;

/** Names what was given in place of its number in a list. */
function withTexts(sentence: string, given: GivenRecurrence): string {
  const texts: string[] = [];
  const numbered = sentence.replaceAll(lists, (_, name: "cron" | "at" | "except", at: string) => {
    const text = [given[name] ?? []].flat()[Number(at)];
    texts.push(text === undefined ? `--${name}` : `--${name} ${JSON.stringify(text)}`);
    return `\0${texts.length - 1}\0`;
  });
  // A text that a user gave may look like the name of a field, and stays as it is.
  return inOptions(numbered).replaceAll(/\0(\d+)\0/g, (_, place: string) => texts[Number(place)]!);
}

/** The expression, and below it a mark under the character that is wrong. */
function pointed(text: string): string[] {
  const parsed = parseCron(text);
  if (parsed.ok) return [];
  const before = text.slice(0, parsed.at).replaceAll(/[^\t]/g, " ");
  return [`  ${text}`, `  ${before}^`];
}
