import type { TimeZones } from "../../time-zones/time-zones.ts";
import { UnknownTimeZone } from "../../time-zones/unknown-time-zone.ts";
import type { WallTime } from "../../time-zones/wall-time.ts";
import type { Cron } from "../cron/cron.ts";
import type { Schedule } from "../schedule.ts";
import type { Exceptions } from "./exceptions.ts";
import type { Recurrence, Rule } from "./occurrences.ts";
import { readCrons, readExceptions, readLocalTimes } from "./read-texts.ts";
import { TextMemo } from "./text-memo.ts";

/** What of a schedule says when it is due. */
export type RecurringDefinition = Pick<
  Schedule,
  "cron" | "everyMs" | "at" | "timeZone" | "startTime" | "endTime" | "except" | "creationTime"
>;

/** Throws for a definition that nobody has checked. */
export function recurrenceOf(schedule: RecurringDefinition, zones: TimeZones): Recurrence {
  const { timeZone, startTime, endTime, except } = schedule;
  const zone = zones.find(timeZone);
  if (zone === undefined) throw new UnknownTimeZone(timeZone);
  const memos = memosOf(zones);
  const rule = ruleOf(schedule, memos);
  return { rule, zone, startTime, endTime, exceptions: memos.exceptions.get(except) };
}

/** Whether both are due at the same times, as far as their texts tell. */
export function isSameRecurrence(one: RecurringDefinition, other: RecurringDefinition): boolean {
  return timesText(one) === timesText(other);
}

function timesText(definition: RecurringDefinition): string {
  const { cron, everyMs, at, timeZone, startTime, endTime, except, creationTime } = definition;
  const since = everyMs === null ? null : (startTime ?? creationTime);
  return JSON.stringify([cron, everyMs, since, at, timeZone, startTime, endTime, except]);
}

interface Memos {
  readonly crons: TextMemo<readonly Cron[]>;
  readonly wallTimes: TextMemo<readonly WallTime[]>;
  readonly exceptions: TextMemo<Exceptions>;
}

/** They live as long as the zones, which a store has for as long as it is open. */
const memosByZones = new WeakMap<TimeZones, Memos>();

function memosOf(zones: TimeZones): Memos {
  let memos = memosByZones.get(zones);
  if (memos === undefined) {
    memos = {
      crons: new TextMemo((texts) => readCrons(texts, fail)),
      wallTimes: new TextMemo((texts) => readLocalTimes(texts, fail)),
      exceptions: new TextMemo((texts) => readExceptions(texts, fail)),
    };
    memosByZones.set(zones, memos);
  }
  return memos;
}

function ruleOf(definition: RecurringDefinition, { crons, wallTimes }: Memos): Rule {
  const { cron, everyMs, at, startTime, creationTime } = definition;
  if (cron !== null) return { kind: "cron", crons: crons.get(cron) };
  if (everyMs !== null) return { kind: "every", everyMs, since: startTime ?? creationTime };
  return { kind: "at", wallTimes: wallTimes.get(at ?? []) };
}

function fail(index: number, fault: string | { readonly reason: string }): never {
  const reason = typeof fault === "string" ? fault : fault.reason;
  throw new Error(`Text ${index + 1} of a stored schedule cannot be read: ${reason}`);
}
