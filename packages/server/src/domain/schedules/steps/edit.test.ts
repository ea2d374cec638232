import { describe, expect, test, vi } from "vitest";
import type { ScheduleDefinition } from "../schedule.ts";
import { Effort } from "../occurrences/effort.ts";
import { mostSteps } from "../occurrences/occurrences.ts";
import { someDefinition } from "./testing/some-definition.ts";
import { clock, World } from "./testing/world.ts";

const begin = clock("08:59:30");
const at = (...times: string[]) => ({
  cron: null,
  at: times.map((time) => `2027-01-01T${time}`),
});

describe("an edit", () => {
  test("only of the revision that was read", () => {
    const world = new World(someDefinition(), begin);
    const definition = someDefinition({ payload: "other" });
    expect(world.change({ kind: "define", definition, ifRevision: 2 })).toBe("revised");
    expect(world.change({ kind: "define", definition, ifRevision: 1 })).not.toBe("revised");
    expect(world.schedule).toMatchObject({ payload: "other", revision: 2, creationTime: begin });
  });

  test("without an occurrence is refused", () => {
    const world = new World(someDefinition(), begin);
    expect(world.redefine({ cron: ["0 0 30 2 *"] })).toBe("no-occurrence");
    expect(world.redefine(at("08:00"))).toBe("no-occurrence");
    world.change({ kind: "pause", note: null, until: null });
    expect(world.redefine(at("08:00"))).toBe("no-occurrence");
  });

  test("makes a run that is to come again, with the new payload", () => {
    const world = new World(someDefinition({ maxRuns: 1 }), begin);
    world.runUntil(clock("08:59:57"));
    expect(world.schedule.nextRunTime).toBeNull();
    world.redefine({ payload: "other" });
    expect(world.told).toEqual(["09:00:00 TIME CREATED"]);
    expect(world.messageOf(clock("09:00:00"))).toMatchObject({
      messageId: "msg_2",
      payload: "other",
      state: "SCHEDULED",
    });
    expect(world.messages.get("msg_1")?.state).toBe("CANCELLED");
    expect(world.schedule.progress).toMatchObject({ madeRuns: 1, earlierMessageId: "msg_2" });
  });

  test("decides a run to come again that was over the limit", () => {
    const world = new World(someDefinition(), begin);
    world.isOverQuota = true;
    world.runUntil(clock("08:59:57"));
    expect(world.told).toEqual(["09:00:00 TIME SKIPPED E-DI-5005"]);
    world.redefine({ payload: "other" });
    expect(world.told).toEqual(["09:00:00 TIME SKIPPED E-DI-5005"]);
    world.isOverQuota = false;
    world.redefine({ payload: "another" });
    expect(world.told).toEqual(["09:00:00 TIME CREATED"]);
  });

  test("makes a run again that has counted, also over the limit", () => {
    const world = new World(someDefinition(), begin);
    world.runUntil(clock("08:59:57"));
    world.isOverQuota = true;
    world.redefine({ payload: "other" });
    expect(world.told).toEqual(["09:00:00 TIME CREATED"]);
    world.redefine({ cron: ["0 9 * * *", "* * * * * *"] });
    expect(world.told).toEqual([
      ...["08:59:58", "08:59:59"].map((time) => `${time} TIME SKIPPED E-DI-5005`),
      "09:00:00 TIME CREATED",
      ...["09:00:01", "09:00:02"].map((time) => `${time} TIME SKIPPED E-DI-5005`),
    ]);
  });

  test("leaves no row of a run to come that it removes", () => {
    const world = new World(someDefinition(), begin);
    world.runUntil(clock("09:00:57"));
    world.redefine({ cron: ["30 * * * *"] });
    expect(world.told).toEqual(["09:00:00 TIME CREATED"]);
    expect(world.schedule).toMatchObject({
      nextRunTime: clock("09:30:00"),
      lastRun: { runTime: clock("09:00:00") },
    });
  });

  test("makes a run in its flex window again, at the place that it has there", () => {
    const world = new World(someDefinition({ flexWindowMs: 59_000, ...at("09:00") }), begin);
    world.runUntil(clock("09:00:00"));
    const before = world.messageOf(clock("09:00:00"))!;
    world.redefine({ payload: "other" });
    expect(world.messageOf(clock("09:00:00"))).toMatchObject({
      payload: "other",
      state: "SCHEDULED",
      deliveryTime: before.deliveryTime,
    });
    expect(before.state).toBe("CANCELLED");
    expect(world.told).toEqual(["09:00:00 TIME CREATED"]);
  });

  test("makes it at once if its place in the window is over", () => {
    const world = new World(someDefinition({ flexWindowMs: 59_000 }), begin);
    world.runUntil(clock("09:00:01"));
    world.redefine({ flexWindowMs: 0 });
    expect(world.messageOf(clock("09:00:00"))?.deliveryTime).toBe(clock("09:00:01"));
  });

  test("says of a run in its flex window that is none any more that it is skipped", () => {
    const world = new World(someDefinition({ flexWindowMs: 59_000 }), begin);
    world.runUntil(clock("09:00:00"));
    world.redefine({ cron: ["30 * * * *"] });
    expect(world.told).toEqual(["09:00:00 TIME SKIPPED EDITED"]);
    expect(world.schedule.progress.madeRuns).toBe(0);
  });

  test("a run in its flex window whose bound would be over is left out", () => {
    const definition = someDefinition({ flexWindowMs: 59_000, message: { notAfterMs: 60_000 } });
    const world = new World(definition, begin);
    world.runUntil(clock("09:00:00"));
    world.now = clock("09:00:01");
    world.redefine({ message: { notAfterMs: 0 } });
    expect(world.told).toEqual(["09:00:00 TIME SKIPPED NOT_AFTER"]);
  });

  test("a smaller maxRuns makes no run again", () => {
    const world = new World(someDefinition({ flexWindowMs: 59_000 }), begin);
    world.takesMs = () => 0;
    world.runUntil(clock("09:01:00"));
    world.redefine({ maxRuns: 1 });
    expect(world.told).toEqual(["09:00:00 TIME CREATED", "09:01:00 TIME SKIPPED EDITED"]);
    expect(world.schedule.nextRunTime).toBeNull();
  });

  test("a larger maxRuns lets a schedule go on that had ended, from now on", () => {
    const world = new World(someDefinition({ maxRuns: 1 }), begin);
    world.runUntil(clock("09:05:30"));
    world.redefine({ maxRuns: 2 });
    world.runUntil(clock("09:10:00"));
    expect(world.told).toEqual(["09:00:00 TIME CREATED", "09:06:00 TIME CREATED"]);
  });

  test("other occurrences count from now on", () => {
    const world = new World(someDefinition({ cron: ["0 * * * *"] }), begin);
    world.runUntil(clock("09:30:30"));
    world.redefine({ cron: ["*/10 * * * *"] });
    world.runUntil(clock("09:40:00"));
    expect(world.told).toEqual(["09:00:00 TIME CREATED", "09:40:00 TIME CREATED"]);
  });

  test("goes on behind a run to come that is attempted already", () => {
    const world = new World(someDefinition({ everyMs: 1_000 }), clock("09:00:00"));
    world.messageOf(clock("09:00:03"))!.state = "DELIVERED";
    world.redefine({ everyMs: null, ...at("09:00:01", "09:00:02.500", "09:00:04.500") });
    expect(world.told).toEqual([
      "09:00:01 TIME CREATED",
      "09:00:03 TIME CREATED",
      "09:00:04.500 TIME CREATED",
    ]);
    expect(world.schedule.progress.madeRuns).toBe(3);
  });

  test("the stored next time stays if only other fields change", () => {
    const world = new World(someDefinition(), begin);
    world.schedule = { ...world.schedule, nextRunTime: clock("09:00:07") };
    world.redefine({ payload: "other" });
    expect(world.schedule.nextRunTime).toBe(clock("09:00:07"));
    world.runUntil(clock("09:00:04"));
    world.redefine({ payload: "another" });
    expect(world.told).toEqual(["09:00:07 TIME CREATED"]);
    world.redefine({ timeZone: "Europe/London" });
    expect(world.told).toEqual([]);
    expect(world.schedule.nextRunTime).toBe(clock("09:01:00"));
  });
});

describe("an edit while run times are not decided", () => {
  test("they are caught up under the new definition", () => {
    const world = new World(someDefinition(), begin);
    world.outageUntil(clock("09:01:30"));
    world.redefine({ payload: "other" });
    expect(world.told).toEqual(["09:00:00 TIME MISSED NOT_CAUGHT_UP", "09:01:00 CATCH_UP CREATED"]);
    expect(world.messageOf(clock("09:01:00"))?.payload).toBe("other");
  });

  test("the stored one is, whatever newer time-zone data says", () => {
    const world = new World(someDefinition(), begin);
    world.schedule = { ...world.schedule, nextRunTime: clock("09:00:07") };
    world.outageUntil(clock("09:00:30"));
    world.redefine({ payload: "other" });
    expect(world.told).toEqual(["09:00:07 CATCH_UP CREATED"]);
  });

  test("those that it removes are skipped, the others caught up", () => {
    const world = new World(someDefinition({ catchUp: { mode: "all", windowMs: 1e9 } }), begin);
    world.outageUntil(clock("09:03:30"));
    world.redefine({ cron: ["1-59/2 * * * *"] });
    expect(world.told).toEqual([
      "09:00:00 TIME SKIPPED EDITED",
      "09:01:00 CATCH_UP CREATED",
      "09:02:00 TIME SKIPPED EDITED",
      "09:03:00 CATCH_UP CREATED",
    ]);
  });

  test("those that it adds are not run times, and it goes on behind them", () => {
    const world = new World(someDefinition({ cron: ["*/2 * * * *"] }), begin);
    world.outageUntil(clock("09:04:30"));
    world.redefine({ cron: ["* * * * *"] });
    expect(world.told).toEqual([
      "09:00:00 TIME SKIPPED EDITED",
      "09:02:00 TIME SKIPPED EDITED",
      "09:04:00 CATCH_UP CREATED",
    ]);
  });

  test("if it shares none, all are skipped", () => {
    const world = new World(someDefinition(), begin);
    world.outageUntil(clock("09:01:30"));
    world.redefine({ cron: ["30 * * * *"] });
    expect(world.told).toEqual(["09:00:00 TIME SKIPPED EDITED", "09:01:00 TIME SKIPPED EDITED"]);
    expect(world.schedule.nextRunTime).toBe(clock("09:30:00"));
  });
});

describe("an edit and overlaps", () => {
  test("a run that is taken back is not the earlier one any more", () => {
    const world = new World(someDefinition({ overlap: "skip" }), begin);
    world.runUntil(clock("08:59:57"));
    world.redefine({ payload: "other" });
    expect(world.messageOf(clock("09:00:00"))).toMatchObject({
      payload: "other",
      state: "SCHEDULED",
    });
  });

  test("the one before it is, and what is made next meets that one", () => {
    for (const everyMs of [1_000, 4_000]) {
      const world = new World(someDefinition({ everyMs }), clock("09:00:00"));
      world.takesMs = () => Infinity;
      world.runUntil(clock("09:00:05"));
      const due = world.messageOf(clock("09:00:00") + Math.floor(5_000 / everyMs) * everyMs)!;
      due.state = "IN_FLIGHT";
      expect(world.schedule.progress.earlierMessageId).not.toBe(due.messageId);
      world.redefine({ overlap: "skip" });
      expect(world.schedule.progress.earlierMessageId).toBe(due.messageId);
      world.runUntil(clock("09:00:08"));
      expect(world.told.at(-1)).toBe("09:00:08 TIME SKIPPED OVERLAP");
      due.state = "DELIVERED";
      world.runUntil(clock("09:00:08") + everyMs);
      expect(world.told.at(-1)).toMatch(/TIME CREATED$/);
    }
  });

  test("the one before it is also if the schedule is paused meanwhile", () => {
    const world = new World(someDefinition({ everyMs: 4_000 }), clock("09:00:00"));
    world.takesMs = () => Infinity;
    world.runUntil(clock("09:00:05"));
    world.change({ kind: "pause", note: null, until: null });
    world.redefine({ overlap: "replace" });
    world.change({ kind: "resume" });
    world.runUntil(clock("09:00:07"));
    expect(world.told).toEqual(["09:00:04 TIME CREATED"]);
    world.runUntil(clock("09:00:08"));
    expect(world.told).toEqual(["09:00:04 TIME CREATED", "09:00:08 TIME CREATED"]);
    expect(world.messageOf(clock("09:00:04"))!.state).toBe("REPLACED");
  });

  test("a run that is made again is", () => {
    const given = { overlap: "skip", everyMs: 4_000, flexWindowMs: 3_000 } as const;
    const world = new World(someDefinition(given), begin);
    world.takesMs = () => Infinity;
    const first = begin + 4_000;
    world.runUntil(first);
    expect(world.messageOf(first)?.deliveryTime).toBeGreaterThan(first);
    world.redefine({ payload: "other" });
    expect(world.told).toEqual(["08:59:34 TIME CREATED"]);
  });
});

test.each([
  ["long before it", "09:01:00", "09:01:00"],
  ["right before it", "09:01:12", "09:01:12"],
  ["and something else has changed since", "09:00:30", "09:01:12"],
  ["and its time has come since", "09:00:30", "09:01:18"],
])(
  "an edit after the clock was set back, %s, goes on with no run time of an earlier definition",
  (_, shown, then) => {
    const world = new World(someDefinition({ cron: ["15 * * * * *"] }), begin);
    world.isOverQuota = true;
    world.runUntil(clock("09:02:12"));
    world.redefine({ cron: ["40 * * * * *"] });
    world.runUntil(clock("09:04:36"));
    world.now = clock(shown);
    world.isOverQuota = false;
    world.change({ kind: "skip", time: clock("09:09:40") });
    world.now = clock(then);
    world.redefine({ payload: "other" });
    expect(world.schedule.nextRunTime).toBe(clock("09:02:40"));
  },
);

describe("an edit and a message that a caller has moved", () => {
  function withMovedRun(given: Partial<ScheduleDefinition> = {}): World {
    const world = new World(someDefinition(given), begin);
    world.runUntil(clock("08:59:57"));
    world.move(clock("09:00:00"), clock("09:30:00"));
    world.runUntil(clock("09:05:30"));
    return world;
  }

  test("makes it again for the time that the caller has given, however often", () => {
    const world = withMovedRun();
    world.redefine({ payload: "second" });
    world.runUntil(clock("09:06:30"));
    world.redefine({ payload: "third" });
    expect(world.messageOf(clock("09:00:00"))).toMatchObject({
      ...{ payload: "third", state: "SCHEDULED", deliveryTime: clock("09:30:00") },
    });
    const before = [...world.messages.values()].filter(
      ({ runTime, payload }) => runTime === clock("09:00:00") && payload !== "third",
    );
    expect(before.map(({ state }) => state)).toEqual(["CANCELLED", "CANCELLED"]);
  });

  test("does not make it the one that the next run meets", () => {
    const world = withMovedRun();
    const { earlierMessageId } = world.schedule.progress;
    world.redefine({ overlap: "skip" });
    expect(world.schedule.progress.earlierMessageId).toBe(earlierMessageId);
    world.runUntil(clock("09:06:00"));
    expect(world.told.at(-1)).toBe("09:06:00 TIME CREATED");
  });

  test("also for a time within the flex window", () => {
    const world = new World(someDefinition({ flexWindowMs: 1_200_000, ...at("09:00") }), begin);
    world.runUntil(clock("08:59:57"));
    const place = world.messageOf(clock("09:00:00"))!.deliveryTime;
    const given = clock("09:19:30");
    expect(place).toBeLessThan(given);
    world.move(clock("09:00:00"), given);
    world.runUntil(place + 1_000);
    world.redefine({ payload: "second" });
    world.redefine({ payload: "third", flexWindowMs: 0 });
    expect(world.messageOf(clock("09:00:00"))).toMatchObject({
      ...{ payload: "third", state: "SCHEDULED", deliveryTime: given },
    });
  });

  test("also before the run time, whether the caller wants it later or earlier", () => {
    for (const given of [clock("09:30:00"), clock("08:59:59")]) {
      const world = new World(someDefinition({ maxRuns: 1 }), begin);
      world.runUntil(clock("08:59:57"));
      world.move(clock("09:00:00"), given);
      world.redefine({ payload: "second" });
      world.redefine({ payload: "third" });
      expect(world.messageOf(clock("09:00:00"))).toMatchObject({
        ...{ payload: "third", state: "SCHEDULED", deliveryTime: given },
      });
      expect(world.told).toEqual(["09:00:00 TIME CREATED"]);
    }
  });

  test.each([0, 30_000])("asks about very many in one bounded search: %i", (flexWindowMs) => {
    const world = new World(someDefinition({ flexWindowMs }), begin);
    for (let run = 0; run < 300; run++) {
      world.runUntil(clock("08:59:57") + run * 60_000);
      world.move(clock("09:00:00") + run * 60_000, clock("23:00:00"));
    }
    const never = Array.from({ length: 9 }, (_, day) => `${day} 0 30 2 *`);
    const spend = vi.spyOn(Effort.prototype, "spend");
    world.redefine({ cron: ["* * * * *", ...never] });
    expect(spend.mock.calls.length).toBeLessThan(30 * mostSteps);
    spend.mockRestore();
    expect(world.told.filter((run) => run.endsWith("CREATED"))).toHaveLength(300);
  });

  test("leaves it out if the new definition does not have its time", () => {
    const world = withMovedRun();
    world.redefine({ cron: ["30 * * * *"] });
    expect(world.told[0]).toBe("09:00:00 TIME SKIPPED EDITED");
  });
});

describe("an edit of a paused schedule", () => {
  test("keeps what is called off, as long as it is to come", () => {
    const world = new World(someDefinition(), begin);
    world.change({ kind: "skip", time: clock("09:01:00") });
    world.change({ kind: "skip", time: clock("09:03:00") });
    world.change({ kind: "pause", note: null, until: null });
    world.now = clock("09:02:00");
    world.redefine({ payload: "other" });
    expect(world.schedule.skips).toEqual([clock("09:03:00")]);
  });

  test("leaves it paused", () => {
    const world = new World(someDefinition(), begin);
    world.change({ kind: "pause", note: "n", until: clock("09:10:00") });
    world.redefine({ cron: ["*/7 * * * *"] });
    expect(world.schedule.pause).toMatchObject({ note: "n", until: clock("09:10:00") });
    expect(world.schedule.nextRunTime).toBe(clock("09:14:00"));
    world.runUntil(clock("09:14:00"));
    expect(world.told).toEqual(["09:14:00 TIME CREATED"]);
  });
});

describe("skips at an edit", () => {
  test("stay if they are run times still, and go otherwise", () => {
    const world = new World(someDefinition(), begin);
    world.change({ kind: "skip", time: clock("09:02:00") });
    world.change({ kind: "skip", time: clock("09:03:00") });
    world.redefine({ cron: ["*/2 * * * *"] });
    expect(world.schedule.skips).toEqual([clock("09:02:00")]);
    world.runUntil(clock("09:04:00"));
    expect(world.told).toEqual([
      "09:00:00 TIME CREATED",
      "09:02:00 TIME SKIPPED REQUESTED",
      "09:04:00 TIME CREATED",
    ]);
  });

  test("the row of one that goes goes with it", () => {
    const world = new World(someDefinition(), begin);
    world.runUntil(clock("08:59:57"));
    world.change({ kind: "skip", time: clock("09:00:00") });
    expect(world.told).toEqual(["09:00:00 TIME SKIPPED REQUESTED"]);
    world.redefine({ cron: ["30 * * * *"] });
    expect(world.told).toEqual([]);
    expect(world.schedule.lastRun).toBeNull();
  });
});
