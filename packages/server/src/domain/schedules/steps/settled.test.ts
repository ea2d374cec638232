import { expect, test } from "vitest";
import { mostBeyondRecord, mostOnRecord } from "../limits.ts";
import { advanced } from "./advanced.ts";
import { settled } from "./settled.ts";
import { someDefinition } from "./testing/some-definition.ts";
import { clock, World } from "./testing/world.ts";

test("each message becomes a row, by what became of it", () => {
  const world = new World(someDefinition({ everyMs: 1_000, startTime: clock("10:00:00") }), 0);
  const now = clock("09:59:57");
  const surroundings = { now, openRuns: [], recordedRuns: [], earlier: "ended" } as const;
  const step = advanced(world.schedule, surroundings, world.zones);
  const { schedule, runs } = settled(step, [
    { kind: "over-quota" },
    { kind: "made", messageId: "msg_1" },
    { kind: "too-late" },
  ]);
  expect(runs).toEqual(
    [
      ...[{ runTime: clock("10:00:00"), outcome: "SKIPPED", reason: "E-DI-5005", messageId: null }],
      ...[{ runTime: clock("10:00:01"), outcome: "CREATED", reason: null, messageId: "msg_1" }],
      ...[{ runTime: clock("10:00:02"), outcome: "SKIPPED", reason: "NOT_AFTER", messageId: null }],
    ].map((run) => ({ trigger: "TIME", ...run })),
  );
  expect(schedule.lastRun).toEqual(runs[2]);
  expect(schedule.progress).toMatchObject({ madeRuns: 1, earlierMessageId: "msg_1" });
});

test("a schedule has a bounded number of rows without a message", () => {
  const world = new World(someDefinition({ everyMs: 1_000, startTime: clock("10:00:00") }), 0);
  const surroundings = { openRuns: [], recordedRuns: [], earlier: "ended" } as const;
  let { schedule } = world;
  let removals = 0;
  for (let now = clock("10:00:00"); now < clock("11:00:00"); now += 1_000) {
    const step = advanced(schedule, { now, ...surroundings }, world.zones);
    const kept = settled(
      step,
      step.messages.map(() => ({ kind: "over-quota" })),
    );
    ({ schedule } = kept);
    if (!kept.hasTooManyUnmade) continue;
    removals++;
    expect(schedule.progress.unmadeRuns).toBe(mostOnRecord);
  }
  // Seldom, and often enough.
  expect(removals).toBe(Math.floor((3_605 - mostOnRecord) / (mostBeyondRecord + 1)));
});
