import { expect, test } from "vitest";
import { someDefinition } from "./testing/some-definition.ts";
import { clock, World } from "./testing/world.ts";

const begin = clock("08:59:30");
const trigger = { kind: "trigger" } as const;

test("a trigger makes a run that is due now, and leaves the schedule as it is", () => {
  const world = new World(someDefinition({ flexWindowMs: 59_000, maxRuns: 1 }), begin);
  const { lastRun: _, ...before } = world.schedule;
  world.change(trigger);
  expect(world.told).toEqual(["08:59:30 MANUAL CREATED"]);
  expect(world.messageOf(begin)).toMatchObject({
    deliveryTime: begin,
    options: { schedule: { scheduleId: "digest", runTime: begin } },
  });
  expect(world.schedule).toMatchObject(before);
  expect(world.schedule.lastRun).toMatchObject({ trigger: "MANUAL", messageId: "msg_1" });
});

test("each takes a millisecond that no other run has", () => {
  const world = new World(someDefinition(), begin);
  world.change(trigger);
  world.change(trigger);
  world.runUntil(clock("09:00:00"));
  world.change(trigger);
  world.change(trigger);
  expect(world.told).toEqual([
    "08:59:30 MANUAL CREATED",
    "08:59:30.001 MANUAL CREATED",
    "09:00:00 TIME CREATED",
    "09:00:00.001 MANUAL CREATED",
    "09:00:00.002 MANUAL CREATED",
  ]);
  expect([...world.messages.values()].at(-1)?.deliveryTime).toBe(clock("09:00:00"));
});

test("it leaves a run time free that is not decided yet", () => {
  const world = new World(someDefinition(), begin);
  world.outageUntil(clock("09:00:00"));
  world.change(trigger);
  world.advance();
  expect(world.told).toEqual(["09:00:00 TIME CREATED", "09:00:00.001 MANUAL CREATED"]);
});

test("it works while the schedule is paused, and after its end", () => {
  const world = new World(someDefinition({ maxRuns: 1 }), begin);
  world.change({ kind: "pause", note: null, until: null });
  world.change(trigger);
  expect(world.schedule.pause).not.toBeNull();
  world.change({ kind: "resume" });
  world.runUntil(clock("09:00:30"));
  world.change(trigger);
  expect(world.told).toEqual([
    "08:59:30 MANUAL CREATED",
    "09:00:00 TIME CREATED",
    "09:00:30 MANUAL CREATED",
  ]);
  expect(world.schedule.progress.earlierMessageId).toBe("msg_2");
});

test("a run by time that is made ahead stays the last run", () => {
  const world = new World(someDefinition(), begin);
  world.runUntil(clock("08:59:57"));
  world.change(trigger);
  expect(world.schedule.lastRun?.runTime).toBe(clock("09:00:00"));
});
