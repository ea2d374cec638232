import { longMs } from "./installation.ts";
import type { SeededRandom } from "./seeded-random.ts";

const minute = 60_000;
const hour = 60 * minute;

/** When things are done to a world. */
export interface Calendar {
  /** At any time, or, where the world is long, more often than not when much else is done. */
  instant(): number;
  /** So many, and more of them the longer the world lasts. */
  count(least: number, most: number, mostAnHour: number): number;
  /** From an instant: a short wait often, a long one now and then, an end in a busy time sometimes. */
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

/** Small waits often, long ones now and then. */
export function shortWait(random: SeededRandom, longestMs: number): number {
  return Math.floor(longestMs * random.fraction() ** 4);
}
