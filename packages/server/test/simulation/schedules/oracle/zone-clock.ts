import {
  changesBetween,
  clockOf,
} from "../../../../src/domain/schedules/occurrences/testing/oracle.ts";

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** The clocks of a zone, read as text, by another way than the service reads them. */
export interface ZoneClock {
  readonly zone: string;
  /** What clocks show, as if it were UTC. */
  wallAt(time: number): number;
  /** The wall times that clocks skip right before this minute; none in most minutes. */
  skippedBefore(minute: number): readonly number[];
  /** Whether clocks have shown it within a day before this minute. */
  hasShown(wallMinute: number, minute: number): boolean;
}

const known = new Map<string, ZoneClock>();

export function zoneClock(zone: string): ZoneClock {
  const found = known.get(zone) ?? makeClock(zone);
  known.set(zone, found);
  return found;
}

function makeClock(zone: string): ZoneClock {
  const read = clockOf(zone);
  const shown = new Map<number, number>();
  const wallOfMinute = (minute: number): number => {
    let wall = shown.get(minute);
    if (wall === undefined) shown.set(minute, (wall = read(minute)));
    return wall;
  };
  const minuteOf = (time: number): number => Math.floor(time / minuteMs) * minuteMs;
  return {
    zone,
    wallAt: (time) => wallOfMinute(minuteOf(time)) + (time - minuteOf(time)),
    skippedBefore(minute) {
      const skipped: number[] = [];
      const until = wallOfMinute(minute);
      for (let wall = wallOfMinute(minute - minuteMs) + minuteMs; wall < until; wall += minuteMs) {
        skipped.push(wall);
      }
      return skipped;
    },
    hasShown(wallMinute, minute) {
      const offsetMs = wallOfMinute(minute) - minute;
      // No zone sets its clocks back by more than a day. Earlier minutes with this wall time had another offset.
      const before = offsetsBefore(minute).filter((each) => each !== offsetMs);
      return before.some((each) => {
        const earlier = wallMinute - each;
        return earlier < minute && wallOfMinute(earlier) === wallMinute;
      });
    },
  };

  /** The offsets of the last day. */
  function offsetsBefore(minute: number): number[] {
    const offsets = new Set<number>();
    for (let time = minute - dayMs; time <= minute; time += 30 * minuteMs) {
      offsets.add(wallOfMinute(time) - time);
    }
    return [...offsets];
  }
}

/** Zones whose clocks change at odd times or by odd amounts, and some that most people have. */
export const awkwardZones = [
  "Europe/Berlin",
  "America/New_York",
  "America/Nuuk",
  "America/Santiago",
  "America/Havana",
  "Australia/Lord_Howe",
  "Antarctica/Troll",
  "Asia/Beirut",
  "Atlantic/Azores",
  "Pacific/Chatham",
  "Africa/Cairo",
  "UTC",
] as const;

const changes = new Map<string, readonly number[]>();

/** When the clocks of a zone change, from 2026 to 2029. */
export function clockChanges(zone: string): readonly number[] {
  const found =
    changes.get(zone) ??
    changesBetween(Date.UTC(2026, 0, 1), Date.UTC(2029, 0, 1), zoneClock(zone).wallAt);
  changes.set(zone, found);
  return found;
}
