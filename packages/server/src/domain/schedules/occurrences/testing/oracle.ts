import type { Mark } from "../occurrence.ts";
import type { GivenCron } from "./given-cron.ts";

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** Reads the clocks of a zone as text, by another way than the code under test. */
export function clockOf(zone: string): (time: number) => number {
  const format = new Intl.DateTimeFormat("en-US", {
    ...{ timeZone: zone, hourCycle: "h23", era: "short" },
    ...{ year: "numeric", month: "numeric", day: "numeric" },
    ...{ hour: "numeric", minute: "numeric", second: "numeric" },
  });
  return (time) => {
    const [month, day, year, hour, minute, second] = format.format(time).match(/\d+/g)!.map(Number);
    return Date.UTC(year!, month! - 1, day, hour, minute, second);
  };
}

/** The minutes in which clocks change, found by a look at them every twelve hours. */
export function changesBetween(from: number, until: number, clock: (time: number) => number) {
  const changes: number[] = [];
  const stepMs = dayMs / 2;
  for (let early = from; early < until; early += stepMs) {
    const offset = clock(early) - early;
    if (clock(early + stepMs) - early - stepMs === offset) continue;
    let [low, high] = [early, early + stepMs];
    while (high - low > minuteMs) {
      const middle = low + Math.floor((high - low) / 2 / minuteMs) * minuteMs;
      if (clock(middle) - middle === offset) low = middle;
      else high = middle;
    }
    changes.push(high);
  }
  return changes;
}

/** What clocks show in each minute of two days. */
export interface ShownMinutes {
  readonly from: number;
  readonly shown: readonly number[];
}

export function minutesAround(change: number, clock: (time: number) => number): ShownMinutes {
  const from = change - dayMs;
  const shown = Array.from({ length: 2 * 1_440 }, (_, index) => clock(from + index * minuteMs));
  return { from, shown };
}

export interface Expected {
  readonly time: number;
  readonly mark: Mark;
}

/**
 * The occurrences in the day in the middle. It asks of every minute whether it is one, and of every
 * minute that clocks skip where it belongs.
 */
export function expectedOf(cron: GivenCron, { from, shown }: ShownMinutes): Expected[] {
  const marks = new Map<number, Mark>();
  const counts = new Map<number, number>();
  for (const wall of shown) counts.set(wall, (counts.get(wall) ?? 0) + 1);
  const seen = new Set<number>();
  shown.forEach((wall, index) => {
    const time = from + index * minuteMs;
    const before = shown[index - 1];
    if (cron.isFixed && before !== undefined) {
      for (let skipped = before + minuteMs; skipped < wall; skipped += minuteMs) {
        if (!seen.has(skipped) && cron.names(new Date(skipped))) marks.set(time, "gap");
      }
    }
    if (cron.names(new Date(wall)) && !(cron.isFixed && seen.has(wall))) {
      for (const second of cron.seconds) {
        const at = time + second * 1_000;
        if (marks.get(at) !== "gap") marks.set(at, counts.get(wall) === 1 ? null : "fold");
      }
    }
    seen.add(wall);
  });
  return [...marks]
    .map(([time, mark]) => ({ time, mark }))
    .filter(({ time }) => time >= middleOf({ from }) && time < middleOf({ from }) + dayMs)
    .toSorted((a, b) => a.time - b.time);
}

/** What the code under test finds in the same day. */
export function foundOf(occurrences: Iterable<Expected>, { from }: ShownMinutes): Expected[] {
  const found: Expected[] = [];
  for (const { time, mark } of occurrences) {
    if (time >= middleOf({ from }) + dayMs) break;
    found.push({ time, mark });
  }
  return found;
}

/** Where the day in the middle begins. */
export function middleOf({ from }: Pick<ShownMinutes, "from">): number {
  return from + dayMs / 2;
}

/** A day may have 86,400 of them: one text is compared much faster than so many objects. */
export function linesOf(all: readonly Expected[]): string {
  return all.map(({ time, mark }) => `${new Date(time).toISOString()} ${mark}`).join("\n");
}
