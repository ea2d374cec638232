import { longMs } from "./installation.ts";
import type { SeededRandom } from "./seeded-random.ts";

const minute = 60_000;
const hour = 60 * minute;

/** Decides when events happen in a world. */
export interface Calendar {
  /** An instant at any time. In a long world, more often than not in a busy period. */
  instant(): number;
  /** A number of events, which grows with the length of the world. */
  count(least: number, most: number, mostAnHour: number): number;
  /** A wait from an instant: often short, now and then long, and sometimes until a busy period. */
  wait(from: number, longestMs: number): number;
}

export function calendarOf(random: SeededRandom, endsAt: number): Calendar {
  const isLong = endsAt >= longMs;
  const busyTimes = Array.from({ length: isLong ? random.between(1, 8) : 0 }, () => ({
    at: Math.floor(random.fraction() * endsAt * 0.98),
    forMs: random.pick([minute, 10 * minute, hour]),
  }));
  const instant = (): number => {
    if (!isLong || random.happens(0.4)) return Math.floor(random.fraction() * endsAt);
    const { at, forMs } = random.pick(busyTimes);
    return Math.min(at + Math.floor(random.fraction() * forMs), endsAt - 1);
  };
  return {
    instant,
    count: (least, most, mostAnHour) =>
      random.between(least, most) +
      (isLong ? Math.floor((endsAt / hour) * random.fraction() * mostAnHour) : 0),
    wait(from, longestMs) {
      if (!isLong) return shortWait(random, longestMs);
      const until = random.happens(0.3) ? instant() : 0;
      const leftMs = Math.max(endsAt - from, hour);
      return until > from ? until - from : shortWait(random, Math.min(longestMs, leftMs));
    },
  };
}

/** Often a short wait, now and then a long one. */
export function shortWait(random: SeededRandom, longestMs: number): number {
  return Math.floor(longestMs * random.fraction() ** 4);
}
