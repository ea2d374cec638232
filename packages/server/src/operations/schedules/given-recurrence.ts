import type { Cron } from "../../domain/schedules/cron/cron.ts";
import type { Recurrence, Rule } from "../../domain/schedules/occurrences/occurrences.ts";
import {
  readCrons,
  readExceptions,
  readLocalTimes,
} from "../../domain/schedules/occurrences/read-texts.ts";
import type { OnFault } from "../../domain/schedules/occurrences/read-texts.ts";
import type { Instant } from "../../domain/instant.ts";
import { codes } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import { isAbbreviation } from "../../domain/time-zones/abbreviations.ts";
import type { TimeZones } from "../../domain/time-zones/time-zones.ts";
import type { Zone } from "../../domain/time-zones/time-zone.ts";
import { formatTime } from "../../domain/times.ts";
import { readGivenTime } from "../messages/given-time.ts";

/** A field that failed its schema is undefined. That is the same as null, and as one that was left out. */
export interface GivenRecurrence {
  readonly cron?: string | readonly string[] | null | undefined;
  readonly everyMs?: number | null | undefined;
  readonly at?: readonly string[] | null | undefined;
  readonly timeZone?: string | null | undefined;
  readonly startTime?: string | null | undefined;
  readonly endTime?: string | null | undefined;
  readonly except?: readonly string[] | null | undefined;
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
  const exceptions = readExceptions(given.except ?? [], toProblems("except", problems));
  const zone = readZone(timeZones, given.timeZone ?? "UTC", problems);
  const rule = readRule(given, startTime ?? since, problems);
  if (rule === undefined || zone === undefined) return undefined;
  return { rule, zone, startTime, endTime, exceptions };
}

/** Exactly one of them says when a schedule is due. */
export const ruleKinds = ["cron", "everyMs", "at"] as const;

/** In front: a long list is cut at its end. */
function readRule(given: GivenRecurrence, since: Instant, problems: Problem[]): Rule | undefined {
  const [first, second] = ruleKinds.filter((kind) => given[kind] != null);
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
  if (cron != null) return { kind: "cron", crons: readGivenCrons(cron, problems) };
  if (everyMs != null) return { kind: "every", everyMs, since };
  return { kind: "at", wallTimes: readLocalTimes(at!, toProblems("at", problems)) };
}

/** Whether the schema has refused a field that says when, or the whole body. */
function isExplained(problems: readonly Problem[]): boolean {
  return problems.some(
    ({ field }) => field === undefined || ruleKinds.some((kind) => field.split("[", 1)[0] === kind),
  );
}

function readGivenCrons(given: string | readonly string[], problems: Problem[]): Cron[] {
  const texts = typeof given === "string" ? [given] : given;
  return readCrons(texts, (index, { at, reason }) => {
    const field = typeof given === "string" ? "cron" : `cron[${index}]`;
    const [wrong = ""] = /^[^\s,]{0,20}/.exec(texts[index]!.slice(at)) ?? [];
    const place = `character ${at + 1}${wrong === "" ? "" : `, ${JSON.stringify(wrong)}`}`;
    problems.push(invalid(field, `${field} is wrong at ${place}: ${reason}.`));
  });
}

/** Says of each text that cannot be read where it stands. */
function toProblems(field: "at" | "except", problems: Problem[]): OnFault<string> {
  return (index, reason) => {
    const place = `${field}[${index}]`;
    problems.push(invalid(place, `${place} cannot be read: ${reason}.`));
  };
}

/** Of a zone that a caller names. A schedule from before abbreviations were refused keeps the zone that it has. */
export function refuseAbbreviation(
  timeZones: TimeZones,
  { timeZone }: Pick<GivenRecurrence, "timeZone">,
  problems: Problem[],
): void {
  if (timeZone == null || !isAbbreviation(timeZone)) return;
  // What is no zone is refused for that alone.
  if (timeZones.find(timeZone) === undefined) return;
  problems.push(
    invalid(
      "timeZone",
      "timeZone must not be an abbreviation, because most of them stand for several zones. Name one such as Europe/London or America/Chicago.",
    ),
  );
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

function invalid(field: string, message: string): Problem {
  return { code: codes.invalidRequest, message, field };
}

interface Never {
  /** From when on there is none. */
  readonly since: Instant;
  readonly endTime: Instant | null;
  /** Further fields that may leave none. */
  readonly bounds?: string;
}

export function noOccurrence(
  given: { readonly [Kind in (typeof ruleKinds)[number]]?: unknown },
  { since, endTime, bounds = " and except" }: Never,
): Problem {
  const field = ruleKinds.find((kind) => given[kind] != null) ?? "cron";
  const further = `startTime, endTime${bounds}`;
  const message =
    endTime !== null && endTime <= since
      ? `${field} has no occurrence: endTime, ${formatTime(endTime)}, is past. Give a later one, or none.`
      : field === "at"
        ? `at has no occurrence: each of its times is past, more than 50 years away, or left out. Check them, and ${further}.`
        : `${field} has no occurrence within 50 years. Check ${field === "cron" ? "its days and months, and " : ""}${further}.`;
  return { code: codes.noOccurrence, message, field };
}
