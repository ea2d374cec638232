import { dayMs } from "../../calendar.ts";
import type { Instant } from "../../instant.ts";
import { latestTime } from "../../times.ts";
import type { Zone } from "../../time-zones/time-zone.ts";
import type { WallTime } from "../../time-zones/wall-time.ts";
import type { Cron } from "../cron/cron.ts";
import { nextCronTime } from "./next-cron-time.ts";
import { Effort } from "./effort.ts";
import { elapsedTimes } from "./elapsed-times.ts";
import type { Exceptions } from "./exceptions.ts";
import { fixedTimes } from "./fixed-times.ts";
import { intervalTimes } from "./interval-times.ts";
import { merged } from "./merged.ts";
import type { Occurrence } from "./occurrence.ts";

/** When a schedule is due. */
export interface Recurrence {
  readonly rule: Rule;
  readonly zone: Zone;
  /** Both inclusive; null: without a bound. */
  readonly startTime: Instant | null;
  readonly endTime: Instant | null;
  readonly exceptions: Exceptions;
}

export type Rule =
  /** Due when any of them is. */
  | { readonly kind: "cron"; readonly crons: readonly Cron[] }
  /** Due at the instant `since`, and again after each interval. */
  | { readonly kind: "every"; readonly everyMs: number; readonly since: Instant }
  | { readonly kind: "at"; readonly wallTimes: readonly WallTime[] };

/** Fifty years. What does not occur in so long a time counts as never. */
export const horizonMs = 18_263 * dayMs;

/** Enough to look at every month of fifty years for ten expressions, and at all that `except` may hold. */
export const mostSteps = 20_000;

/**
 * The occurrences from this instant on, the earliest first, for fifty years from it or from `startTime`. It
 * computes no more than what the caller takes.
 */
export function* occurrencesOf(
  recurrence: Recurrence,
  from: Instant,
  effort = new Effort(mostSteps),
): Generator<Occurrence, void, undefined> {
  const { startTime, endTime, exceptions } = recurrence;
  const begin = Math.max(from, startTime ?? from);
  const end = Math.min(endTime ?? Infinity, begin + horizonMs, latestTime - dayMs);
  for (const occurrence of occurrencesBetween(recurrence, begin, end, effort)) {
    if (occurrence.time > end) return;
    // Clocks show another time than the schedule names after a gap. Neither may be left out.
    if (occurrence.time >= begin && !exceptions.has(occurrence.wallTime)) yield occurrence;
  }
}

function occurrencesBetween(
  { rule, zone, exceptions }: Recurrence,
  begin: Instant,
  end: Instant,
  effort: Effort,
): Iterable<Occurrence> {
  if (rule.kind === "every") {
    return intervalTimes({ ...rule, zone, exceptions, effort }, begin, end);
  }
  if (rule.kind === "at") {
    const named = rule.wallTimes.filter((time) => !exceptions.has(time)).toSorted((a, b) => a - b);
    return fixedTimes((from) => named.find((wallTime) => wallTime >= from), zone, begin);
  }
  const walks = rule.crons.map((cron) => {
    const search = { cron, exceptions, until: end + dayMs, effort };
    const next = (from: WallTime) => nextCronTime(search, from);
    if (!cron.isFixed) return elapsedTimes({ next, zone, effort }, begin, end);
    return fixedTimes((from) => nextUnexcepted(next, exceptions, from), zone, begin);
  });
  return walks.length === 1 ? walks[0]! : merged(walks);
}

/** A time that is left out must not stand for others that clocks skip together with it. */
function nextUnexcepted(
  next: (from: WallTime) => WallTime | undefined,
  exceptions: Exceptions,
  from: WallTime,
): WallTime | undefined {
  let found = next(from);
  while (found !== undefined && exceptions.has(found)) found = next(found + 1);
  return found;
}
