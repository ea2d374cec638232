import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { placeBetween } from "../../edges.ts";
import type { Instant } from "../../instant.ts";
import { TimeZones } from "../../time-zones/time-zones.ts";
import { occurrencesAfter } from "../occurrences/next-occurrence.ts";
import { recurrenceOf } from "../occurrences/recurrence-of.ts";
import { spreadTime } from "../steps/run-message.ts";
import { RunCounts } from "./run-counts.ts";
import type { ForecastSchedule } from "./runs-to-come.ts";

const hour = 3_600_000;
const zones = new TimeZones();

const progress = {
  ...{ cursor: 0, lookTime: null, madeRuns: 0, earlierMessageId: null },
  ...{ isQueueing: false, deadLettersInARow: 0 },
};

/** A schedule whose next run is the first one after `now` that is not skipped. */
function scheduleAt(now: Instant, change: Partial<ForecastSchedule>): ForecastSchedule {
  const schedule: ForecastSchedule = {
    ...{ accountId: "a", scheduleId: "s", cron: null, everyMs: null, at: null },
    ...{ timeZone: "Europe/Berlin", startTime: null, endTime: null, except: [], creationTime: 0 },
    ...{ maxRuns: null, flexWindowMs: 0, skips: [], nextRunTime: null, progress },
    ...change,
  };
  if (change.nextRunTime !== undefined) return schedule;
  const skips = new Set(schedule.skips);
  const [nextRunTime = null] = occurrencesAfter(recurrenceOf(schedule, zones), now, 1_000)
    .filter((time) => !skips.has(time))
    .take(1);
  return { ...schedule, nextRunTime };
}

/** Looks at every single occurrence. */
function bruteCounts(schedule: ForecastSchedule, edges: readonly Instant[]): number[] {
  const { nextRunTime, skips, maxRuns, progress: made } = schedule;
  const counts = edges.slice(1).map(() => 0);
  if (nextRunTime === null) return counts;
  const last = edges.at(-1)! + schedule.flexWindowMs;
  const times: Instant[] = [];
  for (const time of occurrencesAfter(recurrenceOf(schedule, zones), nextRunTime - 1, 200_000)) {
    times.push(time);
    if (time > last) break;
  }
  const runs = times
    .map((time, at) => ({ time, dueAt: spreadTime(schedule, time, () => times[at + 1] ?? null) }))
    .filter(({ time }) => !skips.includes(time))
    .slice(0, maxRuns === null ? undefined : Math.max(0, maxRuns - made.madeRuns));
  for (const { dueAt } of runs) {
    const place = placeBetween(edges, dueAt);
    if (place >= 0 && place < counts.length) counts[place]!++;
  }
  return counts;
}

function countsOf(schedules: readonly ForecastSchedule[], edges: readonly Instant[]) {
  const counter = new RunCounts(zones, edges);
  let steps = 0;
  for (const _ of counter.add(schedules)) steps++;
  return { counts: counter.take(), exact: counter.exact, steps };
}

function edgesFrom(from: Instant, buckets: number, bucketMs = hour): Instant[] {
  return Array.from({ length: buckets + 1 }, (_, place) => from + place * bucketMs);
}

/** On 29 March clocks go from 02:00 to 03:00, on 25 October from 03:00 to 02:00. */
const spring = Date.UTC(2026, 2, 28, 12);
const autumn = Date.UTC(2026, 9, 24, 12);

describe.each([
  ["in spring", spring],
  ["in autumn", autumn],
])("%s, over a change of clocks", (_name, now) => {
  const edges = edgesFrom(now, 48);
  const inHours = (hours: number): Instant => now + hours * hour;

  test.each<[string, Partial<ForecastSchedule>]>([
    ["a fixed time in the gap", { cron: ["30 2 * * *"] }],
    ["several of them", { cron: ["0,30 2 * * *"] }],
    ["what follows the clocks", { cron: ["*/20 * * * *"] }],
    ["hours", { cron: ["0 1-4 * * *"] }],
    ["a union", { cron: ["30 2 * * *", "0 */3 * * *", "0 3 * * *"] }],
    [
      "a zone that changes by half an hour",
      { cron: ["15 2 * * *"], timeZone: "Australia/Lord_Howe" },
    ],
    ["an interval", { everyMs: 7 * 60_000, creationTime: now - 12_345 }],
    ["an interval with an end", { everyMs: hour, creationTime: now - 1, endTime: inHours(9) }],
    [
      "an interval that leaves out a day",
      { everyMs: hour, creationTime: now, except: ["2026-03-29"] },
    ],
    ["single times", { at: ["2026-03-29T02:30", "2026-10-25T02:30", "2026-10-25T09:00"] }],
    ["what is left out", { cron: ["0 * * * *"], except: ["2026-03-29", "2026-10-25T02:00"] }],
    ["an end", { cron: ["0 * * * *"], endTime: inHours(20) }],
    ["a start", { cron: ["0 * * * *"], startTime: inHours(20) }],
    ["few runs", { cron: ["0 * * * *"], maxRuns: 10, progress: { ...progress, madeRuns: 3 } }],
    ["no run left", { cron: ["0 * * * *"], maxRuns: 3, progress: { ...progress, madeRuns: 3 } }],
    ["skipped runs", { cron: ["0 * * * *"], skips: [inHours(3), inHours(5)], maxRuns: 9 }],
    [
      "skipped runs of an interval",
      { everyMs: hour, creationTime: now, skips: [inHours(1), inHours(3)], maxRuns: 9 },
    ],
    ["runs in a window", { cron: ["0 * * * *"], flexWindowMs: 5 * hour }],
    ["a window of a day", { cron: ["30 2 * * *"], flexWindowMs: 24 * hour, maxRuns: 2 }],
    ["what is made ahead", { cron: ["0 * * * *"], nextRunTime: inHours(2) }],
    ["what waits", { cron: ["0 * * * *"], nextRunTime: inHours(-3), maxRuns: 7 }],
    [
      "an interval that waits",
      { everyMs: hour, nextRunTime: inHours(-3), maxRuns: 7, creationTime: inHours(-9) },
    ],
  ])("%s is counted as one by one", (_what, change) => {
    const schedule = scheduleAt(now, change);
    const { counts, exact } = countsOf([schedule], edges);
    expect({ counts, exact }).toEqual({ counts: bruteCounts(schedule, edges), exact: true });
  });
});

test("a span that begins long after now is counted as one by one", () => {
  const edges = edgesFrom(autumn + 40 * 24 * hour, 30, 24 * hour);
  for (const change of [
    { cron: ["0 9 * * MON-FRI"] },
    { cron: ["0 */6 * * *"], maxRuns: 170 },
    { everyMs: 5 * hour, creationTime: autumn, maxRuns: 250 },
    { cron: ["0 9 * * *"], flexWindowMs: 24 * hour },
  ]) {
    const schedule = scheduleAt(autumn, change);
    expect(countsOf([schedule], edges).counts).toEqual(bruteCounts(schedule, edges));
  }
});

test("any schedule is counted as one by one, beside others", () => {
  const crons = [
    "30 2 * * *",
    "*/17 * * * *",
    "0 0 L * *",
    "0 2,14 * * *",
    "0 9 * * MON#2",
    "5 1-3 * * *",
  ];
  const zoneNames = [
    "UTC",
    "Europe/Berlin",
    "America/Santiago",
    "Australia/Lord_Howe",
    "America/Nuuk",
  ];
  const change = fc.record(
    {
      cron: fc.subarray(crons, { minLength: 1, maxLength: 3 }),
      timeZone: fc.constantFrom(...zoneNames),
      maxRuns: fc.integer({ min: 1, max: 60 }),
      flexWindowMs: fc.integer({ min: 0, max: 24 * hour }),
      except: fc.subarray(["2026-10-24", "2026-10-25", "2026-10-25T02:30", "2026-10-26T14:00"]),
      endTime: fc.integer({ min: autumn, max: autumn + 96 * hour }),
      skips: fc
        .uniqueArray(fc.integer({ min: 0, max: 90 }), { maxLength: 4 })
        .map((hours) =>
          hours.toSorted((one, other) => one - other).map((at) => autumn + at * hour),
        ),
    },
    { requiredKeys: ["cron"] },
  );
  const sample = fc.tuple(
    fc.array(change, { minLength: 1, maxLength: 5 }),
    fc.integer({ min: 0, max: 50 }),
  );
  fc.assert(
    fc.property(sample, ([changes, begin]) => {
      const schedules = changes.map((each) =>
        scheduleAt(autumn, each as Partial<ForecastSchedule>),
      );
      const edges = edgesFrom(autumn + begin * hour + 1, 60);
      const brute = schedules.map((schedule) => bruteCounts(schedule, edges));
      const sums = edges
        .slice(1)
        .map((_, at) => brute.reduce((sum, counts) => sum + counts[at]!, 0));
      expect(countsOf(schedules, edges)).toMatchObject({ counts: sums, exact: true });
    }),
    { numRuns: 150 },
  );
});

test("schedules with the same expression are counted once", () => {
  const edges = edgesFrom(autumn, 48);
  const one = scheduleAt(autumn, { cron: ["* * * * *"] });
  const { counts, steps } = countsOf(
    Array.from({ length: 1_000 }, (_, number) => ({ ...one, scheduleId: `s${number}` })),
    edges,
  );
  expect(counts).toEqual(bruteCounts(one, edges).map((count) => count * 1_000));
  expect(steps).toBeLessThan(5_000);
  // Not one that is at another place.
  const ahead = { ...one, nextRunTime: one.nextRunTime! + 3 * 60_000 };
  expect(countsOf([one, ahead, one], edges).counts[0]).toBe(59 + 56 + 59);
});

test("an interval costs the same however short it is", () => {
  const edges = edgesFrom(autumn, 1_500, 24 * hour);
  const schedule = scheduleAt(autumn, { everyMs: 1_000, creationTime: autumn });
  const { counts, exact, steps } = countsOf([schedule], edges);
  expect([counts[0], counts[1], exact]).toEqual([86_399, 86_400, true]);
  expect(steps).toBeLessThan(5);
});

test("what cannot be computed here is left out, and the count is not exact", () => {
  const edges = edgesFrom(autumn, 3);
  const good = scheduleAt(autumn, { everyMs: hour, creationTime: autumn });
  for (const change of [{ timeZone: "Moon/Crater" }, { cron: ["every day"] }]) {
    const bad = { ...scheduleAt(autumn, { cron: ["0 * * * *"] }), ...change };
    expect(countsOf([bad, good], edges)).toMatchObject({ counts: [0, 1, 1], exact: false });
  }
});

test("a schedule with very many runs does not keep others from being counted", () => {
  const edges = edgesFrom(autumn, 1_500);
  const dense = scheduleAt(autumn, { cron: ["* * * * * *"] });
  const good = scheduleAt(autumn, { cron: ["30 9 * * *"] });
  const { counts, exact, steps } = countsOf([dense, dense, good], edges);
  expect(exact).toBe(false);
  expect(counts[1]).toBe(7_200);
  expect(counts.at(-1)).toBe(bruteCounts(good, edges).at(-1));
  expect(steps).toBeLessThan(110_000);
});
