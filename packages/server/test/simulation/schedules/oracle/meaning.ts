import { zoneClock } from "./zone-clock.ts";
import type { ZoneClock } from "./zone-clock.ts";

/** What a definition means, said a second time, without the expressions that the service reads. */
export interface Meaning {
  readonly rule: MeantRule;
  readonly zone: string;
  readonly startTime: number | null;
  readonly endTime: number | null;
  /** Wall times that are left out. */
  readonly exceptTimes: readonly number[];
  /** Days that are left out, as the wall times of their beginnings. */
  readonly exceptDays: readonly number[];
}

export type MeantRule =
  | { readonly kind: "cron"; readonly crons: readonly MeantCron[] }
  | { readonly kind: "every"; readonly everyMs: number }
  | { readonly kind: "at"; readonly wallTimes: readonly number[] };

export interface MeantCron {
  readonly isFixed: boolean;
  readonly seconds: readonly number[];
  /** Whether it names the minute that clocks in UTC would show at this date. */
  readonly names: (minute: Date) => boolean;
}

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** All run times from one instant to another, both included, in order. It asks of every minute. */
export function runTimesOf(
  meaning: Meaning,
  creationTime: number,
  from: number,
  until: number,
): number[] {
  const { rule, startTime, endTime } = meaning;
  const clock = zoneClock(meaning.zone);
  const begin = Math.max(from, startTime ?? -Infinity);
  const end = Math.min(until, endTime ?? Infinity);
  const times = new Set<number>();
  if (rule.kind === "every") {
    const since = startTime ?? creationTime;
    const first = Math.max(0, Math.ceil((begin - since) / rule.everyMs));
    for (let time = since + first * rule.everyMs; time <= end; time += rule.everyMs)
      times.add(time);
  } else {
    const isLeftOut = (wall: number): boolean => isExcepted(meaning, wall);
    for (let minute = floorTo(begin, minuteMs); minute <= end; minute += minuteMs) {
      const found =
        rule.kind === "at"
          ? localTimesIn(rule.wallTimes, clock, minute, isLeftOut)
          : rule.crons.flatMap((cron) => cronTimesIn(cron, clock, minute, isLeftOut));
      for (const time of found) times.add(time);
    }
  }
  return [...times]
    .filter((time) => time >= begin && time <= end)
    .filter((time) => !isExcepted(meaning, clock.wallAt(time)))
    .toSorted((a, b) => a - b);
}

function isExcepted({ exceptTimes, exceptDays }: Meaning, wall: number): boolean {
  return exceptTimes.includes(wall) || exceptDays.includes(floorTo(wall, dayMs));
}

type IsLeftOut = (wall: number) => boolean;

function cronTimesIn(
  cron: MeantCron,
  clock: ZoneClock,
  minute: number,
  isLeftOut: IsLeftOut,
): number[] {
  const wall = clock.wallAt(minute);
  const times: number[] = [];
  if (cron.isFixed) {
    const isSkipped = clock
      .skippedBefore(minute)
      .filter((skipped) => cron.names(new Date(skipped)) && !clock.hasShown(skipped, minute))
      .some((skipped) => cron.seconds.some((second) => !isLeftOut(skipped + second * 1_000)));
    if (isSkipped) times.push(minute);
  }
  if (!cron.names(new Date(wall))) return times;
  if (cron.isFixed && clock.hasShown(wall, minute)) return times;
  return [...times, ...cron.seconds.map((second) => minute + second * 1_000)];
}

function localTimesIn(
  wallTimes: readonly number[],
  clock: ZoneClock,
  minute: number,
  isLeftOut: IsLeftOut,
): number[] {
  const wall = clock.wallAt(minute);
  const skipped = clock.skippedBefore(minute);
  const named = wallTimes.filter((time) => !isLeftOut(time));
  const isSkipped = named.some((time) => skipped.includes(floorTo(time, minuteMs)));
  const shown = named
    .filter((time) => floorTo(time, minuteMs) === wall && !clock.hasShown(wall, minute))
    .map((time) => minute + (time - wall));
  return isSkipped ? [minute, ...shown] : shown;
}

function floorTo(time: number, unit: number): number {
  return Math.floor(time / unit) * unit;
}
