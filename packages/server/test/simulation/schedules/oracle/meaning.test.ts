import { expect, test } from "vitest";
import { runTimesOf } from "./meaning.ts";
import type { Meaning, MeantCron } from "./meaning.ts";

const dayMs = 86_400_000;

function daily(hour: number, minute: number, isFixed = true): MeantCron {
  return {
    isFixed,
    seconds: [0],
    names: (date) => date.getUTCHours() === hour && date.getUTCMinutes() === minute,
  };
}

function meaningOf(zone: string, rule: Meaning["rule"], change: Partial<Meaning> = {}): Meaning {
  const unbounded = { startTime: null, endTime: null, exceptTimes: [], exceptDays: [] };
  return { rule, zone, ...unbounded, ...change };
}

/** The run times of three days, as texts. */
function timesOf(meaning: Meaning, from: string): string[] {
  const begin = Date.parse(from);
  return runTimesOf(meaning, begin, begin, begin + 3 * dayMs).map((time) =>
    new Date(time).toISOString().slice(0, 19),
  );
}

test("a fixed time in a gap comes once, at its end", () => {
  const rule = { kind: "cron", crons: [daily(2, 30)] } as const;
  expect(timesOf(meaningOf("Europe/Berlin", rule), "2026-03-28T00:00:00Z")).toEqual([
    "2026-03-28T01:30:00",
    "2026-03-29T01:00:00",
    "2026-03-30T00:30:00",
  ]);
});

test("a fixed time in a repeated hour comes in its first pass, any other time in both", () => {
  const fixed = { kind: "cron", crons: [daily(2, 30)] } as const;
  const others = { kind: "cron", crons: [daily(2, 30, false)] } as const;
  expect(timesOf(meaningOf("Europe/Berlin", fixed), "2026-10-24T12:00:00Z")).toEqual([
    "2026-10-25T00:30:00",
    "2026-10-26T01:30:00",
    "2026-10-27T01:30:00",
  ]);
  expect(timesOf(meaningOf("Europe/Berlin", others), "2026-10-24T12:00:00Z")).toEqual([
    "2026-10-25T00:30:00",
    "2026-10-25T01:30:00",
    "2026-10-26T01:30:00",
    "2026-10-27T01:30:00",
  ]);
});

test("half an hour can be skipped, and a day can begin at one o'clock", () => {
  const quarter = { kind: "cron", crons: [daily(2, 15)] } as const;
  expect(timesOf(meaningOf("Australia/Lord_Howe", quarter), "2026-10-03T00:00:00Z")).toEqual([
    "2026-10-03T15:30:00",
    "2026-10-04T15:15:00",
    "2026-10-05T15:15:00",
  ]);
  const midnight = { kind: "cron", crons: [daily(0, 0)] } as const;
  expect(timesOf(meaningOf("America/Santiago", midnight), "2026-09-05T12:00:00Z")).toEqual([
    "2026-09-06T04:00:00",
    "2026-09-07T03:00:00",
    "2026-09-08T03:00:00",
  ]);
});

test("local times, intervals, bounds and exceptions", () => {
  const at = { kind: "at", wallTimes: ["02:30", "03:00"].map(on("2026-03-29")) } as const;
  expect(timesOf(meaningOf("Europe/Berlin", at), "2026-03-28T00:00:00Z")).toEqual([
    "2026-03-29T01:00:00",
  ]);
  const every = { kind: "every", everyMs: dayMs } as const;
  const bounds = { startTime: Date.parse("2026-03-28T06:00:00Z"), endTime: null };
  expect(timesOf(meaningOf("UTC", every, bounds), "2026-03-28T00:00:00Z")).toHaveLength(3);
  const leftOut = { exceptDays: [Date.parse("2026-03-29T00:00:00Z")] };
  expect(timesOf(meaningOf("UTC", every, leftOut), "2026-03-28T00:00:00Z")).toHaveLength(3);
  const rule = { kind: "cron", crons: [daily(2, 30)] } as const;
  const exceptTimes = [Date.parse("2026-03-29T02:30:00Z")];
  expect(
    timesOf(meaningOf("Europe/Berlin", rule, { exceptTimes }), "2026-03-28T00:00:00Z"),
  ).toHaveLength(2);
});

function on(date: string): (time: string) => number {
  return (time) => Date.parse(`${date}T${time}:00Z`);
}
