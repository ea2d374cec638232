import type { Instant } from "../../instant.ts";
import { latestOccurrences } from "../occurrences/latest-occurrences.ts";
import { nextOccurrence, occurrencesAfter } from "../occurrences/next-occurrence.ts";
import type { Recurrence } from "../occurrences/occurrences.ts";
import type { Schedule } from "../schedule.ts";

/**
 * The run times of a schedule that are not decided yet, in their order. First come those that are stored: the ones
 * called off before `nextRunTime`, and `nextRunTime`. What follows is computed.
 */
export class UndecidedTimes {
  readonly #recurrence: Recurrence;
  readonly #stored: readonly Instant[];
  /** Null: nothing follows the stored ones. */
  readonly #computedAfter: Instant | null;

  constructor({ skips, nextRunTime, progress }: Schedule, recurrence: Recurrence) {
    this.#recurrence = recurrence;
    this.#computedAfter = nextRunTime;
    const calledOff = skips.filter(
      (time) => time > progress.cursor && (nextRunTime === null || time < nextRunTime),
    );
    this.#stored = nextRunTime === null ? calledOff : [...calledOff, nextRunTime];
  }

  /** The latest ones up to this instant. */
  until(now: Instant, most: number): readonly Instant[] {
    const stored = this.#stored.filter((time) => time <= now);
    const after = this.#computedAfter;
    if (after === null || after >= now) return stored.slice(-most);
    return [...stored, ...latestOccurrences(this.#recurrence, after, now, most)].slice(-most);
  }

  after(time: Instant): Instant | null {
    const stored = this.#stored.find((each) => each > time);
    if (stored !== undefined || this.#computedAfter === null) return stored ?? null;
    return nextOccurrence(this.#recurrence, time);
  }

  /** The first one from this time on that is not called off. */
  firstNotCalledOff(time: Instant | null, skips: readonly Instant[]): Instant | null {
    const stored = this.#stored.filter((each) => time !== null && each >= time);
    const open = stored.find((each) => !skips.includes(each));
    if (open !== undefined || this.#computedAfter === null) return open ?? null;
    return firstNotCalledOff(this.#recurrence, stored.length > 0 ? stored.at(-1)! : time, skips);
  }
}

/** The first of this time and those after it that is not called off. */
export function firstNotCalledOff(
  recurrence: Recurrence,
  first: Instant | null,
  skips: readonly Instant[],
): Instant | null {
  if (first === null) return null;
  const calledOff = new Set(skips);
  if (!calledOff.has(first)) return first;
  for (const time of occurrencesAfter(recurrence, first, skips.length + 1)) {
    if (!calledOff.has(time)) return time;
  }
  return null;
}
