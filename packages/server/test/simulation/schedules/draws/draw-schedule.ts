import { overlaps } from "../../../../src/domain/schedules/schedule.ts";
import { formatTime } from "../../../../src/domain/times.ts";
import type { GivenSchedule } from "../../../../src/operations/schedules/given-schedule.ts";
import type { SeededRandom } from "../../world/seeded-random.ts";
import { runTimesOf } from "../oracle/meaning.ts";
import type { Meaning } from "../oracle/meaning.ts";
import { zoneClock } from "../oracle/zone-clock.ts";
import { drawCron } from "./drawn-cron.ts";

export interface DrawnSchedule {
  /** Its payload is its own, so whoever sees the payload knows the meaning. */
  readonly given: GivenSchedule & { readonly payload: string };
  readonly meaning: Meaning;
}

export interface DrawOptions {
  readonly payload: string;
  readonly targetIds: readonly string[];
  readonly zone: string;
  /** By the store's clock. */
  readonly now: number;
  /** How long the world goes on. */
  readonly leftMs: number;
  /** Whether most schedules pause themselves, and have runs enough for it. */
  readonly deadLetters: boolean;
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** A schedule that is due some times before the world ends, if chance allows. */
export function drawSchedule(random: SeededRandom, options: DrawOptions): DrawnSchedule {
  const { zone, now, leftMs, payload, deadLetters } = options;
  const when = drawRule(random, options);
  const within = (): number => now + random.between(-leftMs, 2 * leftMs);
  const startTime = random.happens(0.15) ? within() : null;
  const endTime = random.happens(0.1) ? Math.max(within(), startTime ?? 0, now + minute) : null;
  const plain: Meaning = {
    ...{ rule: when.rule, zone, startTime, endTime, exceptTimes: [], exceptDays: [] },
  };
  const exceptTimes = random.happens(0.2) ? drawExceptions(random, plain, now, leftMs) : [];
  const mode = random.pick(["last", "last", "all", "none"] as const);
  const windowMs = random.happens(0.3) ? random.pick([30 * second, 10 * minute]) : undefined;
  return {
    meaning: { ...plain, exceptTimes },
    given: {
      ...{ payload, targetId: random.pick(options.targetIds), ...when.given, timeZone: zone },
      startTime: startTime === null ? null : formatTime(startTime),
      endTime: endTime === null ? null : formatTime(endTime),
      maxRuns: random.happens(0.15) ? random.between(1, 12) : null,
      except: exceptTimes.map(localText),
      flexWindowMs: random.happens(0.5) ? 0 : random.pick([500, 20 * second, 2 * minute, hour]),
      overlap: random.happens(0.5) ? "allow" : random.pick(overlaps),
      catchUp: { mode, windowMs },
      pauseAfterDeadLetters: random.happens(deadLetters ? 0.9 : 0.2) ? random.between(1, 3) : null,
    },
  };
}

function drawRule(
  random: SeededRandom,
  { zone, now, leftMs, deadLetters }: DrawOptions,
): { rule: Meaning["rule"]; given: Pick<GivenSchedule, "cron" | "everyMs" | "at"> } {
  const clock = zoneClock(zone);
  const kind = random.pick([
    "cron",
    deadLetters ? "every" : "cron",
    "cron",
    "every",
    "at",
  ] as const);
  if (kind === "every") {
    // A run each second is right, and slow to simulate for long.
    const least = Math.ceil(leftMs / 400);
    const everyMs = Math.max(second, least) + random.pick([0, 1, 777, 30 * second, 5 * minute]);
    return { rule: { kind, everyMs }, given: { everyMs } };
  }
  if (kind === "at") {
    const count = random.between(1, 12);
    const wallTimes = Array.from(
      { length: count },
      () =>
        floorToSecond(clock.wallAt(now)) + random.between(-60, (1.5 * leftMs) / second) * second,
    );
    return { rule: { kind, wallTimes }, given: { at: wallTimes.map(localText) } };
  }
  const crons = Array.from({ length: random.pick([1, 1, 1, 2]) }, () =>
    drawCron(random, clock.wallAt(now)),
  );
  const texts = crons.map(({ text }) => text);
  return { rule: { kind, crons }, given: { cron: texts.length === 1 ? texts[0]! : texts } };
}

/** Some of the times at which the schedule would be due. */
function drawExceptions(
  random: SeededRandom,
  meaning: Meaning,
  now: number,
  leftMs: number,
): number[] {
  const { wallAt } = zoneClock(meaning.zone);
  const times = runTimesOf(meaning, now, now, now + leftMs);
  const chosen = times.filter(() => random.happens(0.1)).slice(0, 20);
  return chosen.map((time) => floorToSecond(wallAt(time)));
}

/** As clocks show it, without an offset. */
function localText(wall: number): string {
  return new Date(wall).toISOString().slice(0, 19);
}

function floorToSecond(time: number): number {
  return Math.floor(time / second) * second;
}
