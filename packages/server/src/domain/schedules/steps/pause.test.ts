import { describe, expect, test } from "vitest";
import { someDefinition } from "./testing/some-definition.ts";
import { clock, World } from "./testing/world.ts";

const begin = clock("08:59:30");
const pause = { kind: "pause", note: "broken", until: null } as const;

describe("pause", () => {
  test("takes back what was made and is to come, as if it had not been", () => {
    const world = new World(someDefinition({ maxRuns: 5 }), begin);
    world.runUntil(clock("09:00:57"));
    expect(world.told).toHaveLength(2);
    world.change(pause);
    expect(world.told).toEqual(["09:00:00 TIME CREATED"]);
    expect(world.messages.get("msg_2")?.state).toBe("CANCELLED");
    expect(world.schedule).toMatchObject({
      revision: 2,
      updateTime: clock("09:00:57"),
      pause: { time: clock("09:00:57"), note: "broken", until: null, reason: "REQUESTED" },
      nextRunTime: null,
      lastRun: { runTime: clock("09:00:00"), messageId: "msg_1" },
      progress: { lookTime: null, cursor: clock("09:00:57"), madeRuns: 1 },
    });
  });

  test("leaves the last run on show, also if its row has expired", () => {
    for (const cron of ["* * * * *", "*/20 * * * * *"]) {
      const world = new World(someDefinition({ cron: [cron] }), begin);
      world.runUntil(clock("09:00:59"));
      const before = [...world.rows.values()].findLast(({ runTime }) => runTime <= world.now)!;
      expect(world.schedule.lastRun!.runTime).toBeGreaterThan(world.now);
      for (const time of world.rows.keys()) if (time <= world.now) world.rows.delete(time);
      world.change(pause);
      expect(world.schedule.lastRun).toEqual(before);
    }
  });

  test("says nothing of times that are to come again after the clock was set back", () => {
    const world = new World(someDefinition(), begin);
    world.outageUntil(clock("09:05:30"));
    world.change(pause);
    world.now = clock("09:02:30");
    world.change(pause);
    world.redefine({ payload: "second" });
    expect(world.told.filter((run) => run > "09:02:30")).toEqual([]);
    world.now = clock("09:04:30");
    world.change({ kind: "resume" });
    expect(world.told.filter((run) => run > "09:02:30" && run < "09:04:30")).toEqual([]);
  });

  test("says of a run in its flex window that it is skipped", () => {
    const world = new World(someDefinition({ flexWindowMs: 59_000 }), begin);
    world.runUntil(clock("09:00:00"));
    world.change(pause);
    expect(world.told).toEqual(["09:00:00 TIME SKIPPED PAUSED"]);
    expect(world.schedule.lastRun).toMatchObject({ outcome: "SKIPPED", reason: "PAUSED" });
    expect(world.schedule.progress.madeRuns).toBe(0);
  });

  test("leaves alone what is due or attempted, and does not make it again", () => {
    const world = new World(someDefinition(), begin);
    world.runUntil(clock("08:59:57"));
    world.messageOf(clock("09:00:00"))!.state = "IN_FLIGHT";
    world.change(pause);
    expect(world.told).toEqual(["09:00:00 TIME CREATED"]);
    expect(world.schedule.progress.cursor).toBe(clock("09:00:00"));
    world.change({ kind: "resume" });
    world.runUntil(clock("09:00:10"));
    expect(world.told).toEqual(["09:00:00 TIME CREATED"]);
  });

  test("what a caller triggered is not taken back", () => {
    const world = new World(someDefinition(), begin);
    world.change({ kind: "trigger" });
    world.change({ kind: "trigger" });
    const message = world.messageOf(begin + 1)!;
    world.messages.set("msg_2", { ...message, deliveryTime: clock("09:30:00") });
    world.change(pause);
    expect(world.messageOf(begin + 1)?.state).toBe("SCHEDULED");
  });

  test("what was missed or waits by then is skipped", () => {
    const world = new World(someDefinition(), begin);
    world.change({ kind: "skip", time: clock("09:01:00") });
    world.outageUntil(clock("09:02:30"));
    world.change(pause);
    expect(world.told).toEqual([
      "09:00:00 TIME SKIPPED PAUSED",
      "09:01:00 TIME SKIPPED REQUESTED",
      "09:02:00 TIME SKIPPED PAUSED",
    ]);
  });

  test("a second one changes its note and its end", () => {
    const world = new World(someDefinition(), begin);
    world.change(pause);
    world.now = clock("09:05:30");
    world.change({ kind: "pause", note: null, until: clock("09:10:00") });
    expect(world.schedule.pause).toEqual({
      time: begin,
      note: null,
      until: clock("09:10:00"),
      reason: "REQUESTED",
    });
    expect(world.told).toEqual([]);
  });
});

describe("resume", () => {
  test("goes on from now: nothing is caught up", () => {
    const world = new World(someDefinition(), begin);
    world.change(pause);
    world.runUntil(clock("09:03:30"));
    world.change({ kind: "resume" });
    expect(world.schedule).toMatchObject({
      revision: 3,
      pause: null,
      nextRunTime: clock("09:04:00"),
    });
    world.runUntil(clock("09:04:00"));
    expect(world.told).toEqual(["09:04:00 TIME CREATED"]);
  });

  test("makes a run of the next seconds in the same step", () => {
    const world = new World(someDefinition(), begin);
    world.runUntil(clock("08:59:56"));
    world.change(pause);
    expect(world.told).toEqual([]);
    world.change({ kind: "resume" });
    expect(world.told).toEqual(["09:00:00 TIME CREATED"]);
    expect(world.messages.get("msg_2")?.state).toBe("SCHEDULED");
  });

  test("of a schedule that is not paused changes nothing, and loses nothing", () => {
    const world = new World(someDefinition(), begin);
    world.outageUntil(clock("09:02:30"));
    world.change({ kind: "resume" });
    expect(world.schedule.revision).toBe(1);
    expect(world.told).toHaveLength(3);
  });
});

describe("a pause with an end", () => {
  test("shows the next run time after it, and ends by itself", () => {
    const world = new World(someDefinition(), begin);
    world.change({ ...pause, until: clock("09:02:30") });
    expect(world.schedule.nextRunTime).toBe(clock("09:03:00"));
    expect(world.schedule.progress.lookTime).toBe(clock("09:02:30"));
    world.runUntil(clock("09:03:00"));
    expect(world.schedule).toMatchObject({ pause: null, revision: 2 });
    expect(world.told).toEqual(["09:03:00 TIME CREATED"]);
  });

  test("a run time at its end is made", () => {
    const world = new World(someDefinition(), begin);
    world.change({ ...pause, until: clock("09:02:00") });
    expect(world.schedule.nextRunTime).toBe(clock("09:02:00"));
    world.runUntil(clock("09:02:00"));
    expect(world.told).toEqual(["09:02:00 TIME CREATED"]);
  });

  test("a look before its end changes nothing", () => {
    const world = new World(someDefinition(), begin);
    world.change({ ...pause, until: clock("09:02:00") });
    const before = world.schedule;
    world.now = clock("09:01:59.999");
    world.advance();
    expect(world.schedule).toEqual(before);
  });

  test("what comes after it and is missed is caught up", () => {
    const world = new World(someDefinition(), begin);
    world.change({ ...pause, until: clock("09:02:30") });
    world.outageUntil(clock("09:04:30"));
    world.runUntil(world.now);
    expect(world.told).toEqual(["09:03:00 TIME MISSED NOT_CAUGHT_UP", "09:04:00 CATCH_UP CREATED"]);
  });

  test("what is called off after it stays so", () => {
    const world = new World(someDefinition(), begin);
    world.change({ ...pause, until: clock("09:02:00") });
    world.change({ kind: "skip", time: clock("09:02:00") });
    world.change({ kind: "skip", time: clock("09:03:00") });
    world.outageUntil(clock("09:04:30"));
    world.runUntil(world.now);
    expect(world.told).toEqual([
      "09:02:00 TIME SKIPPED REQUESTED",
      "09:03:00 TIME SKIPPED REQUESTED",
      "09:04:00 CATCH_UP CREATED",
    ]);
  });

  test("an end that is over already moves nothing back", () => {
    const world = new World(someDefinition(), begin);
    world.runUntil(clock("09:00:20"));
    world.change({ ...pause, until: clock("08:00:00") });
    world.runUntil(clock("09:00:59"));
    expect(world.told).toEqual(["09:00:00 TIME CREATED", "09:01:00 TIME CREATED"]);
  });

  test("without an occurrence after it, it still ends", () => {
    const world = new World(someDefinition({ at: ["2027-01-01T09:00"] }), begin);
    world.change({ ...pause, until: clock("09:30:00") });
    expect(world.schedule.nextRunTime).toBeNull();
    world.runUntil(clock("10:00:00"));
    expect(world.schedule.pause).toBeNull();
    expect(world.told).toEqual([]);
  });
});

test("what was called off after the end by maxRuns is no run time", () => {
  const world = new World(someDefinition({ maxRuns: 1 }), begin);
  world.change({ kind: "skip", time: clock("09:01:00") });
  world.runUntil(clock("09:02:30"));
  world.change(pause);
  expect(world.told).toEqual(["09:00:00 TIME CREATED"]);
});

test("a schedule that ended by maxRuns can be paused, and stays at its end", () => {
  const world = new World(someDefinition({ maxRuns: 1 }), begin);
  world.runUntil(clock("09:00:30"));
  world.change({ ...pause, until: clock("09:02:30") });
  expect(world.schedule.nextRunTime).toBeNull();
  world.runUntil(clock("09:10:00"));
  expect(world.schedule).toMatchObject({ pause: null, nextRunTime: null });
  expect(world.told).toHaveLength(1);
});
