import type { Instant } from "../../instant.ts";
import type { Zone } from "../../time-zones/time-zone.ts";
import { Effort } from "./effort.ts";
import { mostSteps, occurrencesOf } from "./occurrences.ts";
import type { Recurrence } from "./occurrences.ts";

interface Answer extends Pick<Recurrence, "startTime" | "endTime" | "exceptions"> {
  readonly after: Instant;
  readonly next: Instant | null;
}

/**
 * In each zone the last answer for each list of expressions or times that was read. Many schedules are due at the same
 * time by the same expression, and then only the first of them searches. An answer goes with its zone or its list.
 */
const lastAnswers = new WeakMap<Zone, WeakMap<object, Answer>>();

/** The first occurrence after this instant. Null: there is none within fifty years. */
export function nextOccurrence(recurrence: Recurrence, after: Instant): Instant | null {
  const { rule, zone, startTime, endTime, exceptions } = recurrence;
  if (rule.kind === "every") return firstAfter(recurrence, after);
  const texts = rule.kind === "cron" ? rule.crons : rule.wallTimes;
  const last = lastAnswers.get(zone)?.get(texts);
  const isSame =
    last?.after === after &&
    last.startTime === startTime &&
    last.endTime === endTime &&
    last.exceptions === exceptions;
  if (isSame) return last.next;
  const next = firstAfter(recurrence, after);
  const answers = lastAnswers.get(zone) ?? new WeakMap<object, Answer>();
  lastAnswers.set(zone, answers.set(texts, { startTime, endTime, exceptions, after, next }));
  return next;
}

function firstAfter(recurrence: Recurrence, after: Instant): Instant | null {
  return occurrencesOf(recurrence, after + 1).next().value?.time ?? null;
}

export function isOccurrence(recurrence: Recurrence, time: Instant): boolean {
  return nextOccurrence(recurrence, time - 1) === time;
}

/** Occurrences after this instant, in one search that can find so many of them. */
export function* occurrencesAfter(
  recurrence: Recurrence,
  after: Instant,
  most: number,
): Generator<Instant, void, undefined> {
  const effort = effortFor(recurrence, most);
  for (const { time } of occurrencesOf(recurrence, after + 1, effort)) yield time;
}

function effortFor({ rule }: Recurrence, most: number): Effort {
  const searches = rule.kind === "cron" ? rule.crons.length : 1;
  return new Effort(mostSteps + 4 * most * searches);
}

/** Those of the times that are occurrences, in one bounded search. What it does not come to stays among them. */
export function occurrencesAmong(recurrence: Recurrence, times: readonly Instant[]): Instant[] {
  const effort = effortFor(recurrence, times.length);
  return times.filter((time) => {
    const [found] = occurrencesOf(recurrence, time, effort).take(1);
    return found?.time === time || effort.isSpent;
  });
}
