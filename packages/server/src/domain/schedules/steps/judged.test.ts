import { expect, test } from "vitest";
import { judged } from "./judged.ts";
import type { EndedRun } from "./judged.ts";
import { someDefinition } from "./testing/some-definition.ts";
import { clock, World } from "./testing/world.ts";

const begin = clock("08:59:30");

function watched(pauseAfterDeadLetters: number | null, given = {}): World {
  return new World(someDefinition({ pauseAfterDeadLetters, ...given }), begin);
}

/** Runs of consecutive minutes, the first one first. */
function runs(isDeadLetter: readonly boolean[], from = begin): EndedRun[] {
  return isDeadLetter.map((isDead, index) => run(from + index * 60_000, isDead));
}

function run(runTime: number, isDeadLetter: boolean): EndedRun {
  return { runTime, isDeadLetter };
}

test("a dead letter adds one, a delivery begins again", () => {
  const { schedule } = watched(3);
  const after = judged(schedule, runs([true, false, true, true]), begin);
  expect(after.progress.deadLettersInARow).toBe(2);
  expect(after.pause).toBeNull();
});

test("so many in a row pause the schedule, also if a delivery follows", () => {
  const { schedule } = watched(3);
  const once = judged(schedule, runs([true, true]), begin);
  for (const outcomes of [[true], [true, false]]) {
    expect(judged(once, runs(outcomes, begin + 120_000), clock("09:00:01"))).toMatchObject({
      pause: { time: clock("09:00:01"), note: null, until: null, reason: "DEAD_LETTERS" },
      nextRunTime: null,
      progress: { lookTime: null },
      revision: 1,
    });
  }
});

test("runs are in a row by their times, not by when their messages ended", () => {
  const [first, second, third, fourth] = [0, 1, 2, 3].map((index) => begin + index * 60_000);
  const apart = [run(second!, false), run(third!, true), run(first!, true)];
  const together = [run(second!, true), run(first!, false), run(third!, true)];
  const paused = (each: readonly EndedRun[]) =>
    each.reduce((schedule, one) => judged(schedule, [one], begin), watched(2).schedule).pause;
  expect(paused(apart)).toBeNull();
  expect(paused([...apart, run(fourth!, true)])).not.toBeNull();
  expect(paused(together)).not.toBeNull();
});

test("what an earlier version has counted goes on, up to the next delivery", () => {
  const { schedule } = watched(3);
  const counted = { ...schedule, progress: { ...schedule.progress, deadLettersInARow: 2 } };
  expect(judged(counted, runs([true]), begin).pause).not.toBeNull();
  expect(judged(counted, runs([false, true]), begin).progress.deadLettersInARow).toBe(1);
});

test("a schedule without a limit, or one that is paused, stays as it is", () => {
  const free = watched(null).schedule;
  expect(judged(free, runs(Array(200).fill(true)), begin).pause).toBeNull();
  const world = watched(1);
  world.change({ kind: "pause", note: "mine", until: clock("09:10:00") });
  const after = judged(world.schedule, runs([true]), begin);
  expect(after.pause).toEqual(world.schedule.pause);
  expect(after.progress.lookTime).toBe(clock("09:10:00"));
});

test("a resume begins the count again, and makes no run twice that the pause has left", () => {
  const world = watched(2);
  world.runUntil(clock("08:59:57"));
  world.schedule = judged(world.schedule, runs([true, true]), world.now);
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
  world.schedule = judged(world.schedule, runs([true]), world.now);
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
  world.schedule = judged(world.schedule, runs([true]), world.now);
  world.redefine({ payload: "other" });
  expect(world.told).toEqual(["09:00:00 TIME SKIPPED PAUSED"]);
  expect(world.schedule.pause?.reason).toBe("DEAD_LETTERS");
});
