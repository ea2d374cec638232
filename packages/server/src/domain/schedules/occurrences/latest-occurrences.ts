import type { Instant } from "../../instant.ts";
import { occurrencesAfter } from "./next-occurrence.ts";
import type { Recurrence } from "./occurrences.ts";

/**
 * The latest occurrences after one instant and up to another, the earliest first. The effort does not depend on how
 * many there are: a search from the end finds a beginning from which there are between `most` and twice as many.
 */
export function latestOccurrences(
  recurrence: Recurrence,
  after: Instant,
  until: Instant,
  most: number,
): Instant[] {
  const enough = 2 * most;
  const first = Math.max(after + 1, recurrence.startTime ?? -Infinity);
  const last = Math.min(until, recurrence.endTime ?? Infinity);
  // Occurrences seldom come closer than a second.
  let widthMs = most * 1_000;
  let [tooEarly, tooLate] = [first - 1, last + 1];
  let begin = Math.max(first, tooLate - widthMs);
  for (;;) {
    const found = upTo(recurrence, begin, last, enough + 1);
    const isTooMany = found.length > enough;
    if (!isTooMany && (found.length >= most || begin <= first)) return found.slice(-most);
    if (isTooMany) tooEarly = begin;
    else tooLate = begin;
    widthMs *= 4;
    begin =
      tooEarly < first ? Math.max(first, last + 1 - widthMs) : Math.ceil((tooEarly + tooLate) / 2);
  }
}

function upTo(recurrence: Recurrence, from: Instant, until: Instant, most: number): Instant[] {
  const found: Instant[] = [];
  for (const time of occurrencesAfter(recurrence, from - 1, most)) {
    if (time > until || found.length === most) break;
    found.push(time);
  }
  return found;
}
