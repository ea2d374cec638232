import { describe, expect, test } from "vitest";
import { mostSkips } from "../limits.ts";
import { judged } from "./judged.ts";
import { someDefinition } from "./testing/some-definition.ts";
import { clock, World } from "./testing/world.ts";

const begin = clock("08:59:30");
const skip = (time: string) => ({ kind: "skip", time: clock(time) }) as const;
const unskip = (time: string) => ({ kind: "unskip", time: clock(time) }) as const;

describe("skip", () => {
  test("calls off a run time to come", () => {
    const world = new World(someDefinition(), begin);
    world.change(skip("09:00:00"));
    expect(world.schedule).toMatchObject({
      revision: 2,
      skips: [clock("09:00:00")],
      nextRunTime: clock("09:01:00"),
    });
    expect(world.schedule.progress.lookTime).toBe(clock("08:59:55"));
    world.runUntil(clock("09:01:00"));
    expect(world.told).toEqual(["09:00:00 TIME SKIPPED REQUESTED", "09:01:00 TIME CREATED"]);
    expect(world.schedule.skips).toEqual([]);
  });

  test("keeps run times in their order", () => {
    const world = new World(someDefinition(), begin);
    for (const time of ["09:05:00", "09:02:00", "09:03:00"]) world.change(skip(time));
    expect(world.schedule.skips).toEqual(["09:02:00", "09:03:00", "09:05:00"].map(clock));
    world.runUntil(clock("09:06:00"));
    expect(world.told.filter((text) => text.endsWith("REQUESTED"))).toHaveLength(3);
    expect(world.told.filter((text) => text.endsWith("CREATED"))).toHaveLength(4);
  });

  test("takes back a run that was made, and counts it no more", () => {
    const world = new World(someDefinition({ maxRuns: 1 }), begin);
    world.runUntil(clock("08:59:57"));
    expect(world.schedule.nextRunTime).toBeNull();
    world.change(skip("09:00:00"));
    expect(world.told).toEqual(["09:00:00 TIME SKIPPED REQUESTED"]);
    expect(world.messages.get("msg_1")?.state).toBe("CANCELLED");
    expect(world.schedule).toMatchObject({
      nextRunTime: clock("09:01:00"),
      lastRun: { outcome: "SKIPPED", reason: "REQUESTED" },
    });
    world.runUntil(clock("09:10:00"));
    expect(world.told).toEqual(["09:00:00 TIME SKIPPED REQUESTED", "09:01:00 TIME CREATED"]);
  });

  test("takes back a run in its flex window for good", () => {
    const world = new World(someDefinition({ flexWindowMs: 59_000 }), begin);
    world.runUntil(clock("09:00:00"));
    world.change(skip("09:00:00"));
    expect(world.told).toEqual(["09:00:00 TIME SKIPPED REQUESTED"]);
    expect(world.schedule.skips).toEqual([]);
    expect(world.change(unskip("09:00:00"))).toBe("no-open-occurrence");
  });

  test("a look after its time leaves the runs behind it alone", () => {
    const at = ["09:00:00", "09:00:04", "09:30:00"].map((time) => `2027-01-01T${time}`);
    const world = new World(someDefinition({ at }), clock("08:59:59"));
    world.change(skip("09:00:00"));
    world.now = clock("09:00:01");
    const step = world.advance();
    expect(step).toMatchObject({ runs: [], messages: [] });
    expect(world.schedule.progress.cursor).toBe(clock("09:00:04"));
    expect(world.schedule.skips).toEqual([]);
  });

  test("twice changes nothing the second time", () => {
    const world = new World(someDefinition(), begin);
    world.change(skip("09:00:00"));
    const before = world.schedule;
    world.change(skip("09:00:00"));
    expect(world.schedule).toEqual(before);
  });

  test("again, once its time is over, is refused", () => {
    const world = new World(someDefinition({ at: ["2027-01-01T09:00"] }), begin);
    world.change(skip("09:00:00"));
    world.runUntil(clock("09:00:00"));
    expect(world.change(skip("09:00:00"))).toBe("no-open-occurrence");
  });

  test.each([
    { kind: "pause", note: "", until: null },
    { kind: "define", ifRevision: null, definition: someDefinition({ payload: "another" }) },
  ] as const)("is kept by a $kind after the clock was set back before it", (change) => {
    const world = new World(someDefinition(), begin);
    world.change(skip("09:02:00"));
    world.runUntil(clock("09:05:00"));
    world.now = clock("09:01:00");
    world.change(change);
    expect(world.schedule.skips).toEqual([clock("09:02:00")]);
    world.change({ kind: "resume" });
    world.runUntil(clock("09:08:00"));
    expect(world.told).toContain("09:02:00 TIME SKIPPED REQUESTED");
    expect(world.told).toContain("09:07:00 TIME CREATED");
  });

  test("can be taken back after the clock was set back before it", () => {
    const world = new World(someDefinition(), begin);
    world.change(skip("09:02:00"));
    world.runUntil(clock("09:05:00"));
    world.now = clock("09:01:00");
    world.change(unskip("09:02:00"));
    expect(world.told).toContain("09:02:00 TIME CREATED");
  });

  test("is taken back without a second run where a backfill has made later ones", () => {
    const world = new World(someDefinition({ catchUp: { mode: "none", windowMs: 60_000 } }), begin);
    world.change(skip("09:02:00"));
    world.runUntil(clock("09:02:30"));
    world.outageUntil(clock("09:04:30"));
    world.advance();
    world.backfill(clock("09:03:00"), clock("09:04:30"));
    world.now = clock("09:01:00");
    world.change(unskip("09:02:00"));
    world.runUntil(clock("09:04:30"));
    expect(world.told.slice(2)).toEqual([
      ...["09:02:00 TIME CREATED", "09:03:00 BACKFILL CREATED", "09:04:00 BACKFILL CREATED"],
    ]);
  });

  test.each(["09:00:30", "08:59:00", "09:00:00.001"])("%s is no run time", (time) => {
    const world = new World(someDefinition(), begin);
    expect(world.change(skip(time))).toBe("no-open-occurrence");
  });

  test("a run that is due, delivered or decided otherwise cannot be called off", () => {
    const world = new World(someDefinition(), begin);
    world.runUntil(clock("09:00:00"));
    expect(world.change(skip("09:00:00"))).toBe("no-open-occurrence");
    const ended = new World(someDefinition({ maxRuns: 1 }), begin);
    ended.runUntil(clock("09:00:30"));
    expect(ended.change(skip("09:01:00"))).toBe("no-open-occurrence");
  });

  test("what waits can be called off", () => {
    const world = new World(someDefinition({ overlap: "queue" }), begin);
    world.takesMs = () => Infinity;
    world.runUntil(clock("09:02:30"));
    world.change(skip("09:01:00"));
    expect(world.told.at(-1)).toBe("09:01:00 TIME SKIPPED REQUESTED");
    expect(world.schedule.nextRunTime).toBe(clock("09:02:00"));
    world.change(skip("09:02:00"));
    expect(world.schedule.skips).toEqual([]);
  });

  test("the run before it is the one that the next run meets", () => {
    const world = new World(someDefinition({ everyMs: 4_000 }), clock("09:00:00"));
    world.takesMs = () => Infinity;
    world.runUntil(clock("09:00:05"));
    world.change(skip("09:00:08"));
    world.redefine({ overlap: "skip" });
    world.runUntil(clock("09:00:12"));
    expect(world.told).toEqual([
      "09:00:04 TIME CREATED",
      "09:00:08 TIME SKIPPED REQUESTED",
      "09:00:12 TIME SKIPPED OVERLAP",
    ]);
  });

  test("while paused too", () => {
    const world = new World(someDefinition(), begin);
    world.change({ kind: "pause", note: null, until: clock("09:02:30") });
    world.change(skip("09:03:00"));
    expect(world.schedule.nextRunTime).toBe(clock("09:04:00"));
    expect(world.change(skip("08:59:00"))).toBe("no-open-occurrence");
    world.runUntil(clock("09:04:00"));
    expect(world.told).toEqual(["09:03:00 TIME SKIPPED REQUESTED", "09:04:00 TIME CREATED"]);
  });

  test("the last run time of all", () => {
    const world = new World(someDefinition({ at: ["2027-01-01T09:00"] }), begin);
    world.change(skip("09:00:00"));
    expect(world.schedule.nextRunTime).toBeNull();
    expect(world.schedule.progress.lookTime).toBe(clock("08:59:55"));
    world.runUntil(clock("09:01:00"));
    expect(world.told).toEqual(["09:00:00 TIME SKIPPED REQUESTED"]);
    expect(world.schedule.progress.lookTime).toBeNull();
  });

  test("a run in its flex window, while paused", () => {
    const world = new World(someDefinition({ flexWindowMs: 59_000 }), begin);
    world.runUntil(clock("09:00:00"));
    world.schedule = judged(
      { ...world.schedule, pauseAfterDeadLetters: 1 },
      [{ runTime: world.now, isDeadLetter: true }],
      world.now,
    );
    world.change(skip("09:00:00"));
    expect(world.told).toEqual(["09:00:00 TIME SKIPPED REQUESTED"]);
    expect(world.schedule.skips).toEqual([]);
  });

  test("so many are too many, and those that are over do not count", () => {
    const world = new World(someDefinition(), begin);
    const times = Array.from(
      { length: mostSkips },
      (_, index) => clock("09:00:00") + index * 60_000,
    );
    world.schedule = { ...world.schedule, skips: times, nextRunTime: times.at(-1)! + 60_000 };
    expect(mostSkips).toBe(1_000);
    const time = times.at(-1)! + 120_000;
    expect(world.change({ kind: "skip", time })).toBe("too-many-skips");
    world.runUntil(clock("09:00:00"));
    expect(world.change({ kind: "skip", time })).not.toBe("too-many-skips");
    expect(world.schedule.skips).toHaveLength(mostSkips);
  });
});

describe("unskip", () => {
  test("takes up a run time to come", () => {
    const world = new World(someDefinition(), begin);
    world.change(skip("09:00:00"));
    world.change(unskip("09:00:00"));
    expect(world.schedule).toMatchObject({ skips: [], nextRunTime: clock("09:00:00") });
    world.change(skip("09:02:00"));
    world.change(unskip("09:02:00"));
    expect(world.schedule.nextRunTime).toBe(clock("09:00:00"));
    world.runUntil(clock("09:02:00"));
    expect(world.told).toHaveLength(3);
    expect(world.told.every((text) => text.endsWith("TIME CREATED"))).toBe(true);
  });

  test("makes a run again that was taken back", () => {
    const world = new World(someDefinition({ maxRuns: 1 }), begin);
    world.runUntil(clock("08:59:57"));
    world.change(skip("09:00:00"));
    const step = world.change(unskip("09:00:00"));
    // The row is replaced. A store must not remove it as well.
    expect(step).toMatchObject({ undoneRunTimes: [], messages: [{ runTime: clock("09:00:00") }] });
    expect(world.told).toEqual(["09:00:00 TIME CREATED"]);
    expect(world.messageOf(clock("09:00:00"))?.messageId).toBe("msg_2");
    expect(world.schedule.nextRunTime).toBeNull();
  });

  test("asks for the earlier message as any run does", () => {
    const world = new World(someDefinition({ overlap: "skip" }), begin);
    world.takesMs = ({ runTime }) => (runTime === clock("09:00:00") ? 50_000 : Infinity);
    world.runUntil(clock("09:00:57"));
    world.change(skip("09:01:00"));
    world.messageOf(clock("09:00:00"))!.state = "SCHEDULED";
    world.takesMs = () => Infinity;
    world.schedule = {
      ...world.schedule,
      progress: { ...world.schedule.progress, earlierMessageId: "msg_1" },
    };
    world.change(unskip("09:01:00"));
    expect(world.told).toEqual(["09:00:00 TIME CREATED"]);
    world.runUntil(clock("09:01:00"));
    expect(world.told.at(-1)).toBe("09:01:00 TIME SKIPPED OVERLAP");
  });

  test("makes a run again behind which others were made", () => {
    const world = new World(someDefinition({ everyMs: 1_000 }), clock("09:00:00"));
    world.change(skip("09:00:02"));
    world.change(unskip("09:00:02"));
    expect(world.told).toEqual([1, 2, 3, 4, 5].map((second) => `09:00:0${second} TIME CREATED`));
    expect(world.schedule.progress).toMatchObject({ madeRuns: 5, cursor: clock("09:00:05") });
  });

  test("leaves the run behind it to be the one that the next run meets", () => {
    const given = { everyMs: 2_000, overlap: "skip" } as const;
    const world = new World(someDefinition(given), clock("09:00:00"));
    world.takesMs = ({ runTime }) => (runTime === clock("09:00:04") ? Infinity : 0);
    world.change(skip("09:00:02"));
    world.change(unskip("09:00:02"));
    world.runUntil(clock("09:00:08"));
    expect(world.told).toEqual([
      ...["02", "04"].map((second) => `09:00:${second} TIME CREATED`),
      ...["06", "08"].map((second) => `09:00:${second} TIME SKIPPED OVERLAP`),
    ]);
  });

  test("is refused if maxRuns was used up meanwhile", () => {
    const world = new World(someDefinition({ everyMs: 1_000, maxRuns: 2 }), clock("09:00:00"));
    world.change(skip("09:00:01"));
    expect(world.told).toHaveLength(3);
    expect(world.change(unskip("09:00:01"))).toBe("no-open-occurrence");
  });

  test("of what was not called off, or is over, is refused", () => {
    const world = new World(someDefinition(), begin);
    expect(world.change(unskip("09:00:00"))).toBe("no-open-occurrence");
    world.change(skip("09:00:00"));
    world.runUntil(clock("09:00:00"));
    expect(world.change(unskip("09:00:00"))).toBe("no-open-occurrence");
  });

  test("of a run behind which others were made, while paused, makes nothing", () => {
    const world = new World(someDefinition({ everyMs: 1_000 }), clock("09:00:00"));
    world.change(skip("09:00:02"));
    world.schedule = judged(
      { ...world.schedule, pauseAfterDeadLetters: 1 },
      [{ runTime: world.now, isDeadLetter: true }],
      world.now,
    );
    const before = world.messages.size;
    world.change(unskip("09:00:02"));
    expect(world.messages.size).toBe(before);
  });

  test("while paused makes nothing", () => {
    const world = new World(someDefinition(), begin);
    world.change(skip("09:03:00"));
    world.change({ kind: "pause", note: null, until: clock("09:02:30") });
    expect(world.schedule.nextRunTime).toBe(clock("09:04:00"));
    world.change(unskip("09:03:00"));
    expect(world.schedule.nextRunTime).toBe(clock("09:03:00"));
    expect(world.told).toEqual([]);
  });
});

test("a moved run that is called off after the last one by `maxRuns` leaves nothing to catch up", () => {
  const world = new World(someDefinition({ maxRuns: 2 }), clock("08:59:30"));
  world.runUntil(clock("08:59:57"));
  world.move(clock("09:00:00"), clock("09:30:00"));
  world.runUntil(clock("09:10:30"));
  expect(world.schedule.nextRunTime).toBeNull();
  world.change({ kind: "skip", time: clock("09:00:00") });
  world.runUntil(clock("09:12:00"));
  expect(world.told).toEqual([
    "09:00:00 TIME SKIPPED REQUESTED",
    "09:01:00 TIME CREATED",
    "09:11:00 TIME CREATED",
  ]);
});
