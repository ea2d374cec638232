import { describe, expect, test } from "vitest";
import { dayMs } from "../../calendar.ts";
import { mostDecidedAtOnce } from "../limits.ts";
import { spreadTime } from "./run-message.ts";
import { someDefinition } from "./testing/some-definition.ts";
import { clock, World } from "./testing/world.ts";

const begin = clock("08:59:30");

describe("runs by time", () => {
  test("a run is made five seconds ahead, for its time", () => {
    const world = new World(someDefinition(), begin);
    expect(world.told).toEqual([]);
    expect(world.schedule).toMatchObject({ nextRunTime: clock("09:00:00"), lastRun: null });
    expect(world.schedule.progress.lookTime).toBe(clock("08:59:55"));
    world.now = clock("08:59:54.999");
    world.advance();
    expect(world.told).toEqual([]);
    world.now = clock("08:59:55");
    world.advance();
    expect(world.told).toEqual(["09:00:00 TIME CREATED"]);
    expect(world.messageOf(clock("09:00:00"))).toMatchObject({
      deliveryTime: clock("09:00:00"),
      payload: "hello",
      options: { schedule: { scheduleId: "digest", runTime: clock("09:00:00") } },
    });
    expect(world.schedule).toMatchObject({
      nextRunTime: clock("09:01:00"),
      lastRun: { runTime: clock("09:00:00"), outcome: "CREATED", messageId: "msg_1" },
      progress: {
        cursor: clock("09:00:00"),
        lookTime: clock("09:00:55"),
        madeRuns: 1,
        earlierMessageId: "msg_1",
      },
    });
  });

  test("a look that comes too early changes nothing", () => {
    const world = new World(someDefinition(), begin);
    const before = world.schedule;
    world.advance();
    expect(world.schedule).toEqual(before);
  });

  test("a schedule in a zone that this node does not know waits, and is not lost", () => {
    const world = new World(someDefinition(), begin);
    const { schedule } = world;
    world.schedule = { ...schedule, timeZone: "Moon/Tranquility" };
    world.now = clock("08:59:55");
    world.advance();
    expect(world.told).toEqual([]);
    const progress = { ...schedule.progress, lookTime: clock("09:00:25") };
    expect(world.schedule).toEqual({ ...schedule, timeZone: "Moon/Tranquility", progress });
  });

  test("the options of its messages are the schedule's, with the bound after each time", () => {
    const message = { labels: { a: "b" }, notAfterMs: 60_000 };
    const world = new World(someDefinition({ message }), begin);
    world.runUntil(clock("09:00:00"));
    expect(world.messageOf(clock("09:00:00"))?.options).toEqual({
      ...message,
      notAfter: clock("09:01:00"),
      schedule: { scheduleId: "digest", runTime: clock("09:00:00") },
    });
  });

  test("an interval counts from its creation, or from the start time", () => {
    const seconds = new World(someDefinition({ everyMs: 1_000 }), clock("09:00:00.500"));
    expect(seconds.told).toEqual(
      [1, 2, 3, 4, 5].map((second) => `09:00:0${second}.500 TIME CREATED`),
    );
    const startTime = clock("08:00:00");
    const hours = new World(someDefinition({ everyMs: 3_600_000, startTime }), begin);
    expect(hours.schedule.nextRunTime).toBe(clock("09:00:00"));
  });

  test("the stored next time is kept, and what follows is computed from it", () => {
    const world = new World(someDefinition(), begin);
    world.schedule = { ...world.schedule, nextRunTime: clock("09:00:07") };
    world.runUntil(clock("09:01:10"));
    expect(world.told).toEqual(["09:00:07 TIME CREATED", "09:01:00 TIME CREATED"]);
  });

  test("after the last occurrence there is nothing to look at", () => {
    const world = new World(someDefinition({ at: ["2027-01-01T09:00"] }), begin);
    world.runUntil(clock("10:00:00"));
    expect(world.told).toEqual(["09:00:00 TIME CREATED"]);
    expect(world.schedule.nextRunTime).toBeNull();
    expect(world.schedule.progress.lookTime).toBeNull();
  });

  test("maxRuns ends the schedule, and counts only what was made", () => {
    const world = new World(someDefinition({ maxRuns: 2 }), begin);
    world.isOverQuota = true;
    world.runUntil(clock("09:00:30"));
    world.isOverQuota = false;
    world.runUntil(clock("09:10:00"));
    expect(world.told).toEqual([
      "09:00:00 TIME SKIPPED E-DI-5005",
      "09:01:00 TIME CREATED",
      "09:02:00 TIME CREATED",
    ]);
    expect(world.schedule.nextRunTime).toBeNull();
    expect(world.schedule.progress).toMatchObject({ lookTime: null, madeRuns: 2 });
  });

  test("several runs that are made at once do not exceed maxRuns", () => {
    const world = new World(someDefinition({ everyMs: 1_000, maxRuns: 3 }), begin);
    world.runUntil(clock("09:10:00"));
    expect(world.told).toHaveLength(3);
  });
});

describe("the flex window", () => {
  const spreadOf = (flexWindowMs: number, cron = "* * * * *") => {
    const world = new World(someDefinition({ flexWindowMs, cron: [cron] }), begin);
    world.runUntil(clock("11:00:00"));
    return [...world.messages.values()].map(({ deliveryTime, runTime }) => deliveryTime - runTime);
  };

  test("messages are spread over it, always in the same way", () => {
    const spread = spreadOf(30_000);
    expect(spread).toEqual(spreadOf(30_000));
    expect(Math.min(...spread)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...spread)).toBeLessThanOrEqual(30_000);
    expect(Math.max(...spread) - Math.min(...spread)).toBeGreaterThan(25_000);
  });

  test("it ends before the next run time", () => {
    expect(Math.max(...spreadOf(dayMs))).toBeLessThan(60_000);
    expect(Math.max(...spreadOf(dayMs))).toBeGreaterThan(55_000);
  });

  test("it leaves the next run time free, however close that is", () => {
    const { schedule } = new World(someDefinition({ flexWindowMs: dayMs }), begin);
    for (let time = begin; time < begin + 20; time++) {
      expect(spreadTime(schedule, time, () => time + 1)).toBe(time);
    }
  });

  test("it goes beyond the last run time", () => {
    const flexWindowMs = dayMs;
    const at = ["2027-01-01T09:00"];
    const world = new World(someDefinition({ flexWindowMs, at }), begin);
    world.runUntil(clock("08:59:55"));
    expect(world.messageOf(clock("09:00:00"))?.deliveryTime).toBeGreaterThan(clock("09:01:00"));
  });

  test("two schedules and two accounts are spread apart", () => {
    const world = new World(someDefinition({ flexWindowMs: 50_000 }), begin);
    const times = new Set<number>();
    for (const [accountId, scheduleId] of [
      ["a", "b"],
      ["a", "c"],
      ["b", "b"],
    ] as const) {
      world.schedule = { ...world.schedule, accountId, scheduleId };
      world.now = clock("08:59:55");
      times.add(world.advance().messages[0]!.deliveryTime);
      world.schedule = new World(someDefinition({ flexWindowMs: 50_000 }), begin).schedule;
      world.rows.clear();
    }
    expect(times.size).toBe(3);
  });
});

describe("after an outage", () => {
  const missing = (given: Parameters<typeof someDefinition>[0], until: string) => {
    const world = new World(someDefinition(given), begin);
    world.outageUntil(clock(until));
    world.runUntil(clock(until));
    return world;
  };
  const windowMs = 365 * dayMs;

  test("a run that comes up to ten seconds late is on time", () => {
    expect(missing({}, "09:00:10").told).toEqual(["09:00:00 TIME CREATED"]);
    const late = missing({}, "09:00:10.001");
    expect(late.told).toEqual(["09:00:00 CATCH_UP CREATED"]);
    expect(late.messageOf(clock("09:00:00"))?.deliveryTime).toBe(clock("09:00:00"));
  });

  test("what is caught up is due at its own time, without a flex window", () => {
    const world = missing({ flexWindowMs: 59_000 }, "09:00:10.001");
    expect(world.messageOf(clock("09:00:00"))?.deliveryTime).toBe(clock("09:00:00"));
  });

  test("`last` makes the latest one", () => {
    expect(missing({}, "09:03:30").told).toEqual([
      "09:00:00 TIME MISSED NOT_CAUGHT_UP",
      "09:01:00 TIME MISSED NOT_CAUGHT_UP",
      "09:02:00 TIME MISSED NOT_CAUGHT_UP",
      "09:03:00 CATCH_UP CREATED",
    ]);
  });

  test("`all` makes each, in their order, and `none` nothing; what is on time is made in any case", () => {
    expect(missing({ catchUp: { mode: "all", windowMs } }, "09:02:05").told).toEqual([
      "09:00:00 CATCH_UP CREATED",
      "09:01:00 CATCH_UP CREATED",
      "09:02:00 TIME CREATED",
    ]);
    expect(missing({ catchUp: { mode: "none", windowMs } }, "09:02:05").told).toEqual([
      "09:00:00 TIME MISSED NOT_CAUGHT_UP",
      "09:01:00 TIME MISSED NOT_CAUGHT_UP",
      "09:02:00 TIME CREATED",
    ]);
  });

  test("nothing is made that lies before the window", () => {
    const all = missing({ catchUp: { mode: "all", windowMs: 90_000 } }, "09:02:30");
    expect(all.told).toEqual([
      "09:00:00 TIME MISSED TOO_OLD",
      "09:01:00 CATCH_UP CREATED",
      "09:02:00 CATCH_UP CREATED",
    ]);
    const last = missing({ catchUp: { mode: "last", windowMs: 20_000 } }, "09:00:20.001");
    expect(last.told).toEqual(["09:00:00 TIME MISSED TOO_OLD"]);
    const none = missing({ catchUp: { mode: "none", windowMs: 90_000 } }, "09:02:30");
    expect(none.told[0]).toBe("09:00:00 TIME MISSED TOO_OLD");
  });

  test("a bound that is over leaves the run out", () => {
    const message = { notAfterMs: 60_000 };
    const at = ["2027-01-01T09:00"];
    expect(missing({ at, message }, "09:00:59.999").told).toEqual(["09:00:00 CATCH_UP CREATED"]);
    expect(missing({ at, message }, "09:01:00").told).toEqual([
      "09:00:00 CATCH_UP SKIPPED NOT_AFTER",
    ]);
  });

  test("maxRuns counts what is caught up, and nothing is missed after the end", () => {
    const catchUp = { mode: "all", windowMs } as const;
    expect(missing({ catchUp, maxRuns: 2 }, "09:05:30").told).toEqual([
      "09:00:00 CATCH_UP CREATED",
      "09:01:00 CATCH_UP CREATED",
    ]);
  });

  test("a run time that was called off stays so", () => {
    const world = new World(someDefinition(), begin);
    world.change({ kind: "skip", time: clock("09:01:00") });
    world.outageUntil(clock("09:02:30"));
    world.advance();
    expect(world.told).toEqual([
      "09:00:00 TIME MISSED NOT_CAUGHT_UP",
      "09:01:00 TIME SKIPPED REQUESTED",
      "09:02:00 CATCH_UP CREATED",
    ]);
    expect(world.schedule.skips).toEqual([]);
  });

  test("if the latest was called off, `last` makes the one before", () => {
    const world = new World(someDefinition(), begin);
    world.change({ kind: "skip", time: clock("09:01:00") });
    world.outageUntil(clock("09:01:30"));
    world.advance();
    expect(world.told).toEqual(["09:00:00 CATCH_UP CREATED", "09:01:00 TIME SKIPPED REQUESTED"]);
  });

  test("the 1,000 latest are made, and of the others the 1,000 latest are on record", () => {
    const catchUp = { mode: "all", windowMs } as const;
    const world = new World(someDefinition({ catchUp }), begin);
    world.outageUntil(begin + 5_000 * 60_000);
    world.runUntil(world.now);
    const last = (count: number, word: string) =>
      world.told.slice(-count).every((text) => text.includes(word));
    expect(world.told).toHaveLength(2_000);
    expect(last(1_000, "CATCH_UP CREATED")).toBe(true);
    expect(world.told.slice(0, 1_000).every((text) => text.endsWith("NOT_CAUGHT_UP"))).toBe(true);
  });

  test("of a gap, the 1,000 latest that are not made are on record", () => {
    const world = new World(someDefinition(), begin);
    world.outageUntil(begin + 5_000 * 60_000);
    world.runUntil(world.now);
    expect(world.told).toHaveLength(1_001);
  });

  test("a step decides a bounded number, and the next one goes on at once", () => {
    const world = new World(someDefinition({ everyMs: 1_000 }), begin);
    world.outageUntil(begin + 3 * 365 * dayMs);
    const step = world.advance();
    expect(step.runs.length + step.messages.length).toBeLessThanOrEqual(mostDecidedAtOnce);
    expect(step.schedule.progress.lookTime).toBe(world.now);
    const before = world.steps;
    world.runUntil(world.now);
    expect(world.steps - before).toBeLessThan(12);
    // Five before the outage, 1,000 missed, one caught up, eleven on time, five ahead.
    expect(world.told).toHaveLength(5 + 1_000 + 1 + 11 + 5);
    expect(world.schedule.nextRunTime).toBeGreaterThan(world.now + 5_000);
  });
});
