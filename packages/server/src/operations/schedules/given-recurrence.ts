import { parseCron } from "../../domain/schedules/cron/parse-cron.ts";
import type { Cron } from "../../domain/schedules/cron/cron.ts";
import { Exceptions } from "../../domain/schedules/exceptions.ts";
import { parseException, parseLocalTime } from "../../domain/schedules/local-time.ts";
import type { Recurrence, Rule } from "../../domain/schedules/occurrences.ts";
import type { Instant } from "../../domain/instant.ts";
import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { TimeZones } from "../../domain/time-zones/time-zones.ts";
import type { Zone } from "../../domain/time-zones/time-zone.ts";
import { readGivenTime } from "../messages/given-time.ts";

/** A field that failed its schema is undefined, like one that was left out. */
export interface GivenRecurrence {
  readonly cron?: string | readonly string[] | undefined;
  readonly everyMs?: number | undefined;
  readonly at?: readonly string[] | undefined;
  readonly timeZone?: string | undefined;
  readonly startTime?: string | null | undefined;
  readonly endTime?: string | null | undefined;
  readonly except?: readonly string[] | undefined;
}

/** Adds to `problems` whatever is wrong. An interval without `startTime` counts from `since`. */
export function readRecurrence(
  timeZones: TimeZones,
  given: GivenRecurrence,
  since: Instant,
  problems: Problem[],
): Recurrence | undefined {
  const startTime = readGivenTime(given.startTime ?? undefined, "startTime", problems) ?? null;
  const endTime = readGivenTime(given.endTime ?? undefined, "endTime", problems) ?? null;
  if (startTime !== null && endTime !== null && startTime > endTime) {
    problems.push(invalid("endTime", "endTime is before startTime. Swap them, or leave one out."));
  }
  const exceptions = readExceptions(given.except ?? [], problems);
  const zone = readZone(timeZones, given.timeZone ?? "UTC", problems);
  const rule = readRule(given, startTime ?? since, problems);
  if (rule === undefined || zone === undefined) return undefined;
  return { rule, zone, startTime, endTime, exceptions };
}

const kinds = ["cron", "everyMs", "at"] as const;

/** In front: a long list is cut at its end. */
function readRule(given: GivenRecurrence, since: Instant, problems: Problem[]): Rule | undefined {
  const [first, second] = kinds.filter((kind) => given[kind] !== undefined);
  if (first === undefined) {
    if (!isExplained(problems)) {
      problems.unshift(
        invalid("cron", "Say when the schedule is due: give one of cron, everyMs and at."),
      );
    }
    return undefined;
  }
  if (second !== undefined) {
    const message = `${first} and ${second} are both given. Leave one of them out.`;
    problems.unshift(invalid(second, message));
    return undefined;
  }
  const { cron, everyMs, at } = given;
  if (cron !== undefined) return { kind: "cron", crons: readCrons(cron, problems) };
  if (everyMs !== undefined) return { kind: "every", everyMs, since };
  return { kind: "at", wallTimes: readLocalTimes(at!, problems) };
}

/** Whether the schema has refused a field that says when, or the whole body. */
function isExplained(problems: readonly Problem[]): boolean {
  return problems.some(
    ({ field }) => field === undefined || kinds.some((kind) => field.split("[", 1)[0] === kind),
  );
}

function readCrons(given: string | readonly string[], problems: Problem[]): Cron[] {
  const texts = typeof given === "string" ? [given] : given;
  return texts.flatMap((text, index) => {
    const parsed = parseCron(text);
    if (parsed.ok) return [parsed.cron];
    const field = typeof given === "string" ? "cron" : `cron[${index}]`;
    const [wrong = ""] = /^[^\s,]{0,20}/.exec(text.slice(parsed.at)) ?? [];
    const place = `character ${parsed.at + 1}${wrong === "" ? "" : `, ${JSON.stringify(wrong)}`}`;
    problems.push(invalid(field, `${field} is wrong at ${place}: ${parsed.reason}.`));
    return [];
  });
}

function readLocalTimes(texts: readonly string[], problems: Problem[]): number[] {
  return texts.flatMap((text, index) => {
    const parsed = parseLocalTime(text);
    if (parsed.ok) return [parsed.wallTime];
    problems.push(unreadable(`at[${index}]`, parsed.reason));
    return [];
  });
}

function readExceptions(texts: readonly string[], problems: Problem[]): Exceptions {
  const days: number[] = [];
  const times: number[] = [];
  texts.forEach((text, index) => {
    const parsed = parseException(text);
    if (!parsed.ok) problems.push(unreadable(`except[${index}]`, parsed.reason));
    else if ("day" in parsed) days.push(parsed.day);
    else times.push(parsed.wallTime);
  });
  return new Exceptions(days, times);
}

function readZone(timeZones: TimeZones, name: string, problems: Problem[]): Zone | undefined {
  const zone = timeZones.find(name);
  if (zone !== undefined) return zone;
  const isOffset = /^(?:UTC|GMT)?[+-]?\d/i.test(name);
  problems.push(
    invalid(
      "timeZone",
      isOffset
        ? "timeZone must not be an offset, because an offset knows no daylight saving. Name a zone such as Europe/Berlin, or UTC."
        : "timeZone is not known. Give an IANA name such as Europe/Berlin, America/New_York or UTC.",
    ),
  );
  return undefined;
}

function unreadable(field: string, reason: string): Problem {
  return invalid(field, `${field} cannot be read: ${reason}.`);
}

function invalid(field: string, message: string): Problem {
  return { code: codes.invalidRequest, message, field };
}
