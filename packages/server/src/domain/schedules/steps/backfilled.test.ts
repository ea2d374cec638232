import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dayMs } from "../../calendar.ts";
import { TimeZones } from "../../time-zones/time-zones.ts";
import type { ScheduleDefinition } from "../schedule.ts";
import { backfilled, timesToBackfill } from "./backfilled.ts";
import { createdSchedule } from "./created-schedule.ts";
import { judged } from "./judged.ts";
import { someDefinition } from "./testing/some-definition.ts";
import { clock, World } from "./testing/world.ts";

const zones = new TimeZones();
const ref = { accountId: "acme", scheduleId: "digest" };
const nine = clock("09:00:00");

const created = (given: Partial<ScheduleDefinition> = {}, now = nine) =>
  createdSchedule(ref, someDefinition(given), now, zones)!;

function lookAt(given: Partial<ScheduleDefinition>, from: number, until: number) {
  return timesToBackfill(created(given), { from, until }, nine, zones);
}

describe("a look at run times that are past", () => {
  test("has both ends of its span, and those before the schedule was created", () => {
    expect(lookAt({}, clock("08:58:00"), nine)).toEqual({
      ...{ runTimes: [clock("08:58:00"), clock("08:59:00"), nine], lookedUntil: null },
    });
    expect(lookAt({}, clock("08:58:01"), clock("08:59:59")).runTimes).toEqual([clock("08:59:00")]);
    expect(lookAt({}, clock("08:58:01"), clock("08:58:59"))).toEqual({
      ...{ runTimes: [], lookedUntil: null },
    });
  });

  test("has none before the start, after the end, or left out", () => {
    const bounded = {
      ...{ startTime: clock("08:57:00"), endTime: clock("08:59:30") },
      except: ["2027-01-01T08:58"],
    };
    const early = created(bounded, clock("08:00:00"));
    const schedule = { ...early, progress: { ...early.progress, cursor: nine } };
    const span = { from: clock("08:00:00"), until: nine };
    expect(timesToBackfill(schedule, span, nine, zones).runTimes).toEqual([
      clock("08:57:00"),
      clock("08:59:00"),
    ]);
  });

  test("has of an interval without a start only what follows the creation", () => {
    const early = created({ cron: null, everyMs: 60_000 }, clock("08:58:00"));
    const schedule = { ...early, progress: { ...early.progress, cursor: nine } };
    const span = { from: clock("08:00:00"), until: nine };
    expect(timesToBackfill(schedule, span, nine, zones).runTimes).toEqual([
      clock("08:59:00"),
      nine,
    ]);
    // A start is a run time itself.
    const started = { ...schedule, startTime: clock("08:58:00") };
    expect(timesToBackfill(started, span, nine, zones).runTimes).toHaveLength(3);
  });

  test("ends before what is not decided yet", () => {
    const schedule = created();
    const span = { from: clock("08:59:00"), until: clock("09:05:00") };
    const { runTimes } = timesToBackfill(schedule, span, clock("09:05:00"), zones);
    expect(runTimes).toEqual([clock("08:59:00"), nine]);
  });

  test("ends with now, also after the clock was set back behind what is decided", () => {
    const before = clock("08:58:30");
    const span = { from: clock("08:58:00"), until: nine };
    expect(timesToBackfill(created(), span, before, zones)).toEqual({
      ...{ runTimes: [clock("08:58:00")], lookedUntil: null },
    });
  });

  test("is bounded, and the next one goes on", () => {
    const from = nine - 30 * dayMs;
    const schedule = created({ cron: ["* * * * * *"] });
    const found: number[] = [];
    let looks = 0;
    for (let at: number | null = from; at !== null && looks < 5; looks++) {
      const look = timesToBackfill(schedule, { from: at, until: nine }, nine, zones);
      expect(look.runTimes.length).toBeLessThanOrEqual(1_000);
      found.push(...look.runTimes);
      at = look.lookedUntil === null ? null : look.lookedUntil + 1;
    }
    expect(found).toEqual(Array.from({ length: found.length }, (_, index) => from + index * 1_000));
    expect(found.length).toBeGreaterThan(4_000);
  });

  test("finds what is rare, within its effort", () => {
    const from = Date.UTC(1980, 0);
    const rare = { cron: ["0 0 29 2 +MON"] };
    const { runTimes, lookedUntil } = lookAt(rare, from, nine);
    expect(runTimes.map((time) => new Date(time).getUTCFullYear())).toEqual([1988, 2016]);
    expect(lookedUntil).toBeNull();
  });
});

describe("a step of a backfill", () => {
  const look = { runTimes: [1_000, 2_000, 3_000, 4_000], lookedUntil: 5_000 };

  test("makes messages for what has had no run, as many as it may", () => {
    const schedule = created({ message: { notAfterMs: 100 }, flexWindowMs: 1_000 });
    const { step, lookedUntil } = backfilled(schedule, look, (time) => time === 2_000, {
      limit: 2,
      now: nine,
    });
    expect(lookedUntil).toBe(3_000);
    expect(step).toMatchObject({
      ...{ schedule, cancelledMessageIds: [], undoneRunTimes: [], runs: [] },
      replacedMessageId: null,
    });
    expect(step.messages).toEqual(
      [1_000, 3_000].map((runTime) => ({
        ...{ runTime, trigger: "BACKFILL", deliveryTime: nine, payload: "hello" },
        counts: true,
        options: {
          ...{ notAfterMs: 100, notAfter: nine + 100 },
          schedule: { scheduleId: "digest", runTime },
        },
      })),
    );
  });

  test("gets as far as the look did, if it may make all of it", () => {
    const schedule = created();
    expect(backfilled(schedule, look, () => false, { limit: 4, now: nine }).lookedUntil).toBe(
      5_000,
    );
    expect(backfilled(schedule, look, () => true, { limit: 1, now: nine }).lookedUntil).toBe(5_000);
    const last = { ...look, lookedUntil: null };
    expect(backfilled(schedule, last, () => false, { limit: 4, now: nine }).lookedUntil).toBeNull();
  });

  test("counts for nothing by time", () => {
    const world = new World(someDefinition({ maxRuns: 2, overlap: "skip" }), nine + 1);
    const before = world.schedule;
    world.takesMs = () => Infinity;
    world.backfill(clock("08:58:00"), nine);
    const [, last] = [...world.rows.values()].slice(-2);
    expect(world.schedule).toEqual({ ...before, lastRun: last });
    world.runUntil(clock("09:01:00"));
    expect(world.told.slice(-1)).toEqual(["09:01:00 TIME CREATED"]);
  });

  test("takes the place of rows without a message", () => {
    const world = new World(
      someDefinition({ catchUp: { mode: "none", windowMs: dayMs } }),
      nine + 1,
    );
    world.outageUntil(clock("09:02:30"));
    world.advance();
    world.isOverQuota = true;
    world.backfill(clock("09:01:00"), clock("09:01:00"));
    expect(world.told).toEqual([
      "09:01:00 BACKFILL SKIPPED E-DI-5005",
      "09:02:00 TIME MISSED NOT_CAUGHT_UP",
    ]);
    world.isOverQuota = false;
    world.backfill(clock("09:01:00"), clock("09:02:30"));
    expect(world.told).toEqual(["09:01:00 BACKFILL CREATED", "09:02:00 BACKFILL CREATED"]);
  });

  test("of a paused schedule makes what passes during the pause, and not what comes at its end", () => {
    const world = new World(someDefinition(), nine + 1);
    world.change({ kind: "pause", note: null, until: clock("09:03:00") });
    world.outageUntil(clock("09:05:00"));
    world.backfill(clock("09:00:30"), clock("09:05:00"));
    expect(world.told).toEqual(["09:01:00 BACKFILL CREATED", "09:02:00 BACKFILL CREATED"]);
    world.advance();
    expect(world.told.slice(2)).toEqual([
      ...["09:03:00 TIME MISSED NOT_CAUGHT_UP", "09:04:00 CATCH_UP CREATED"],
      "09:05:00 TIME CREATED",
    ]);
  });
});

describe("what a backfill has made is not made by time after the clock was set back before it", () => {
  const paused = (): World => {
    const world = new World(someDefinition(), nine + 1);
    world.change({ kind: "pause", note: null, until: null });
    world.outageUntil(clock("09:02:30"));
    world.backfill(clock("09:01:00"), clock("09:02:30"));
    world.now = clock("09:00:30");
    return world;
  };
  const made = ["09:01:00 BACKFILL CREATED", "09:02:00 BACKFILL CREATED", "09:03:00 TIME CREATED"];

  test("when the schedule goes on", () => {
    const world = paused();
    world.change({ kind: "resume" });
    expect(world.schedule.nextRunTime).toBe(clock("09:03:00"));
    world.runUntil(clock("09:03:30"));
    expect(world.told).toEqual(made);
  });

  test("when it is edited during the pause, and paused until then", () => {
    const world = paused();
    world.redefine({ payload: "other" });
    world.change({ kind: "pause", note: null, until: clock("09:00:40") });
    world.runUntil(clock("09:03:30"));
    expect(world.told).toEqual(made);
  });

  test("when it is edited after it was caught up", () => {
    const world = new World(
      someDefinition({ catchUp: { mode: "none", windowMs: dayMs } }),
      nine + 1,
    );
    world.outageUntil(clock("09:02:30"));
    world.advance();
    world.backfill(clock("09:01:00"), clock("09:02:30"));
    world.now = clock("09:00:30");
    world.redefine({ cron: ["0-58 * * * *"] });
    world.runUntil(clock("09:03:30"));
    expect(world.told).toEqual(made);
  });
});

describe("a backfill of a schedule that dead letters have paused", () => {
  const pauseNow = (world: World) => {
    world.schedule = judged(
      world.schedule,
      [{ runTime: world.now, isDeadLetter: true }],
      world.now,
    );
  };

  test("makes what passes during the pause", () => {
    const world = new World(someDefinition({ pauseAfterDeadLetters: 1 }), nine + 1);
    world.runUntil(clock("09:01:30"));
    pauseNow(world);
    world.outageUntil(clock("09:03:30"));
    world.backfill(clock("09:01:00"), clock("09:05:00"));
    const made = ["09:02:00 BACKFILL CREATED", "09:03:00 BACKFILL CREATED"];
    expect(world.told).toEqual(["09:01:00 TIME CREATED", ...made]);
    world.change({ kind: "resume" });
    world.runUntil(clock("09:04:00"));
    expect(world.told.slice(1)).toEqual([...made, "09:04:00 TIME CREATED"]);
  });

  test("leaves out what had to wait before it, until a resume has decided that", () => {
    const given = { pauseAfterDeadLetters: 1, overlap: "queue" } as const;
    const world = new World(someDefinition(given), nine + 1);
    world.takesMs = () => Infinity;
    world.runUntil(clock("09:03:30"));
    pauseNow(world);
    world.outageUntil(clock("09:05:30"));
    expect(world.backfill(nine + 1, clock("09:10:00"))).toBeNull();
    const [first, ...made] = [
      ...["09:01:00 TIME CREATED", "09:04:00 BACKFILL CREATED", "09:05:00 BACKFILL CREATED"],
    ];
    expect(world.told).toEqual([first, ...made]);
    world.change({ kind: "resume" });
    expect(world.told).toEqual([
      ...[first, "09:02:00 TIME SKIPPED PAUSED", "09:03:00 TIME SKIPPED PAUSED"],
      ...made,
    ]);
    world.backfill(nine + 1, clock("09:03:00"));
    expect(world.told).toEqual([
      ...[first, "09:02:00 BACKFILL CREATED", "09:03:00 BACKFILL CREATED"],
      ...made,
    ]);
  });

  test("has looked at everything once it is at its end, from wherever it goes on", () => {
    const world = new World(someDefinition({ pauseAfterDeadLetters: 1 }), nine + 1);
    world.outageUntil(clock("09:02:30"));
    pauseNow(world);
    world.outageUntil(clock("09:06:30"));
    expect(world.backfill(clock("09:02:00"), clock("09:06:00"), 1)).toBe(clock("09:03:00"));
    expect(world.backfill(clock("09:04:00"), clock("09:06:00"), 9)).toBeNull();
    expect(world.told).toEqual(
      ["09:03:00", "09:04:00", "09:05:00", "09:06:00"].map((time) => `${time} BACKFILL CREATED`),
    );
  });
});

/** What may happen to a schedule, in words that a failed run shows. */
const actions = fc.oneof(
  fc.record({ do: fc.constant("run" as const), ms: fc.integer({ min: 0, max: 200_000 }) }),
  fc.record({ do: fc.constant("outage" as const), ms: fc.integer({ min: 0, max: 400_000 }) }),
  fc.record({ do: fc.constant("backfill" as const), ms: fc.integer({ min: 0, max: 600_000 }) }),
  fc.record({ do: fc.constant("pause" as const), ms: fc.integer({ min: 1, max: 200_000 }) }),
  fc.record({ do: fc.constantFrom("hold", "resume", "trigger", "skip", "unskip", "dead") }),
  fc.record({
    do: fc.constant("define" as const),
    cron: fc.constantFrom("* * * * *", "*/2 * * * *"),
  }),
);

test("whatever happens to the schedule meanwhile, no run time gets two messages", () => {
  const overlaps = fc.constantFrom("allow", "skip", "replace", "queue");
  const flexes = fc.constantFrom(0, 30_000, 90_000);
  fc.assert(
    fc.property(overlaps, flexes, fc.array(actions, { maxLength: 25 }), (overlap, flex, many) => {
      const world = new World(someDefinition({ overlap, flexWindowMs: flex }), nine + 1);
      for (const action of many) {
        const { now } = world;
        const next = world.schedule.nextRunTime ?? now;
        const { skips } = world.schedule;
        // The world refuses a second message for a run time.
        if (action.do === "run") world.runUntil(now + action.ms);
        else if (action.do === "outage") world.outageUntil(now + action.ms);
        else if (action.do === "backfill") world.backfill(now - action.ms, now);
        else if (action.do === "pause") {
          world.change({ kind: "pause", note: null, until: now + action.ms });
        } else if (action.do === "define") world.redefine({ cron: [action.cron] });
        else if (action.do === "hold") world.change({ kind: "pause", note: null, until: null });
        else if (action.do === "skip") world.change({ kind: "skip", time: next });
        else if (action.do === "unskip") world.change({ kind: "unskip", time: skips[0] ?? next });
        else if (action.do === "resume") world.change({ kind: "resume" });
        else if (action.do === "trigger") world.change({ kind: "trigger" });
        else if (world.schedule.pause === null) {
          const pause = { time: now, note: null, until: null, reason: "DEAD_LETTERS" as const };
          world.schedule = { ...world.schedule, pause, nextRunTime: null };
        }
      }
    }),
    { numRuns: 1_000 },
  );
});
