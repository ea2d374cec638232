import { expect, test } from "vitest";
import { judged } from "./judged.ts";
import { someDefinition } from "./testing/some-definition.ts";
import { clock, World } from "./testing/world.ts";

const begin = clock("08:59:30");

function watched(pauseAfterDeadLetters: number | null, given = {}): World {
  return new World(someDefinition({ pauseAfterDeadLetters, ...given }), begin);
}

test("a dead letter adds one, a delivery begins again", () => {
  const { schedule } = watched(3);
  const after = judged(schedule, [true, false, true, true], begin);
  expect(after.progress.deadLettersInARow).toBe(2);
  expect(after.pause).toBeNull();
});

test("so many in a row pause the schedule, also if a delivery follows", () => {
  const { schedule } = watched(3);
  const once = judged(schedule, [true, true], begin);
  for (const outcomes of [[true], [true, false]]) {
    expect(judged(once, outcomes, clock("09:00:01"))).toMatchObject({
      pause: { time: clock("09:00:01"), note: null, until: null, reason: "DEAD_LETTERS" },
      nextRunTime: null,
      progress: { lookTime: null },
      revision: 1,
    });
  }
});

test("a schedule without a limit, or one that is paused, stays as it is", () => {
  const free = watched(null).schedule;
  expect(judged(free, Array(200).fill(true), begin).pause).toBeNull();
  const world = watched(1);
  world.change({ kind: "pause", note: "mine", until: clock("09:10:00") });
  const after = judged(world.schedule, [true], begin);
  expect(after.pause).toEqual(world.schedule.pause);
  expect(after.progress.lookTime).toBe(clock("09:10:00"));
});

test("a resume begins the count again, and makes no run twice that the pause has left", () => {
  const world = watched(2);
  world.runUntil(clock("08:59:57"));
  world.schedule = judged(world.schedule, [true, true], world.now);
  world.advance();
  expect(world.told).toEqual(["09:00:00 TIME CREATED"]);
  world.change({ kind: "resume" });
  expect(world.schedule.progress.deadLettersInARow).toBe(0);
  world.runUntil(clock("09:01:00"));
  expect(world.told).toEqual(["09:00:00 TIME CREATED", "09:01:00 TIME CREATED"]);
});

test("what waited when the schedule was paused is skipped at the resume", () => {
  const world = watched(1, { overlap: "queue" });
  world.takesMs = () => Infinity;
  world.runUntil(clock("09:02:30"));
  world.schedule = judged(world.schedule, [true], world.now);
  world.runUntil(clock("09:05:30"));
  world.change({ kind: "resume" });
  expect(world.told).toEqual([
    "09:00:00 TIME CREATED",
    "09:01:00 TIME SKIPPED PAUSED",
    "09:02:00 TIME SKIPPED PAUSED",
  ]);
  expect(world.schedule.nextRunTime).toBe(clock("09:06:00"));
});

test("an edit meanwhile takes back what the pause has left", () => {
  const world = watched(1, { flexWindowMs: 59_000 });
  world.runUntil(clock("09:00:00"));
  world.schedule = judged(world.schedule, [true], world.now);
  world.redefine({ payload: "other" });
  expect(world.told).toEqual(["09:00:00 TIME SKIPPED PAUSED"]);
  expect(world.schedule.pause?.reason).toBe("DEAD_LETTERS");
});
