import fc from "fast-check";
import { expect, test } from "vitest";
import { hashOf } from "../../hash.ts";
import type { Instant } from "../../instant.ts";
import { occurrencesOf } from "../occurrences/occurrences.ts";
import { recurrenceOf } from "../occurrences/recurrence-of.ts";
import { overlaps } from "../schedule.ts";
import { judged } from "./judged.ts";
import { someDefinition } from "./testing/some-definition.ts";
import { clock, World } from "./testing/world.ts";
import type { WorldMessage } from "./testing/world.ts";

const begin = clock("08:59:30");

type Act =
  | { readonly kind: "pass" | "outage"; readonly ms: number }
  | { readonly kind: "attempt" | "fail" | "deliver" | "quota" | "trigger" }
  | { readonly kind: "set back"; readonly ms: number }
  | { readonly kind: "pause" | "resume" | "edit" | "judge" | "skip" };

const spans = fc.oneof(fc.integer({ min: 0, max: 7_000 }), fc.integer({ min: 0, max: 200_000 }));
const passing = fc.record({ kind: fc.constantFrom("pass", "pass", "outage"), ms: spans });
const outcomes = fc.constantFrom(
  ...["attempt", "fail", "deliver", "quota", "trigger"].map((kind) => ({ kind })),
);
const quiet = fc.oneof({ weight: 3, arbitrary: passing }, outcomes) as fc.Arbitrary<Act>;
const wild = fc.oneof(
  { weight: 3, arbitrary: quiet },
  fc.constantFrom(...["pause", "resume", "edit", "judge", "skip"].map((kind) => ({ kind }))),
  fc.record({ kind: fc.constant("set back"), ms: fc.integer({ min: 0, max: 30_000 }) }),
) as fc.Arbitrary<Act>;

const definitions = fc
  .record({
    overlap: fc.constantFrom(...overlaps),
    everyMs: fc.integer({ min: 1_000, max: 70_000 }),
    flexWindowMs: fc.constantFrom(0, 0, 20_000),
    catchUp: fc.record({
      mode: fc.constantFrom("last" as const, "all" as const, "none" as const),
      windowMs: fc.constantFrom(60_000, 86_400_000),
    }),
  })
  .map(someDefinition);

function play(world: World, act: Act): void {
  switch (act.kind) {
    case "pass":
      return world.runUntil(world.now + act.ms);
    case "outage":
      return world.outageUntil(world.now + act.ms);
    case "set back":
      return world.outageUntil(world.now - act.ms);
    case "quota":
      world.isOverQuota = !world.isOverQuota;
      return;
    case "attempt":
    case "fail":
    case "deliver":
      return endAttempt(world, act.kind);
    case "edit":
      return void world.redefine({ payload: "other", everyMs: 1_000 + (world.now % 40_000) });
    case "judge":
      world.schedule = judged(
        { ...world.schedule, pauseAfterDeadLetters: 1 },
        [{ runTime: world.now, isDeadLetter: true }],
        world.now,
      );
      return;
    case "pause":
      return void world.change({ kind: "pause", note: null, until: world.now + 60_000 });
    case "skip":
      return void world.change({ kind: "skip", time: world.schedule.nextRunTime ?? world.now });
    default:
      world.change({ kind: act.kind });
  }
}

/** Messages can also be delivered before their time: callers move them. */
function endAttempt({ messages }: World, kind: "attempt" | "fail" | "deliver"): void {
  for (const message of messages.values()) {
    if (kind === "attempt" && message.state === "SCHEDULED") message.state = "IN_FLIGHT";
    else if (kind === "fail" && message.state === "IN_FLIGHT") message.state = "SCHEDULED";
    else if (kind === "deliver" && message.state === "IN_FLIGHT") message.state = "DELIVERED";
  }
}

function worldOf(definition: ReturnType<typeof someDefinition>): World {
  const world = new World(definition, begin);
  world.takesMs = ({ runTime }) => hashOf(`${runTime}`) % 90_000;
  return world;
}

/** Those by time that have not ended. */
function alive({ messages }: World): WorldMessage[] {
  return [...messages.values()].filter(
    ({ state, trigger }) =>
      trigger !== "MANUAL" && (state === "SCHEDULED" || state === "IN_FLIGHT"),
  );
}

function timesUntil(world: World, now: Instant): Instant[] {
  const times = [];
  for (const { time } of occurrencesOf(recurrenceOf(world.schedule, world.zones), begin + 1)) {
    if (time > now) break;
    times.push(time);
  }
  return times;
}

test(
  "every run time is on record once, none is made twice, and none overlaps",
  { timeout: 600_000 },
  () => {
    fc.assert(
      fc.property(definitions, fc.array(quiet, { maxLength: 30 }), (definition, acts) => {
        const world = worldOf(definition);
        for (const act of acts) {
          play(world, act);
          if (definition.overlap !== "allow") expect(alive(world).length).toBeLessThanOrEqual(1);
        }
        // Everything ends, so nothing has to wait any longer.
        world.takesMs = () => 0;
        endAttempt(world, "fail");
        for (let round = 0; round < 500; round++) world.runUntil(world.now + 1_000);
        endAttempt(world, "attempt");
        endAttempt(world, "deliver");
        world.runUntil(world.now + 2_000);
        const recorded = [...world.rows.values()].filter(({ trigger }) => trigger !== "MANUAL");
        const times = recorded
          .map(({ runTime }) => runTime)
          .filter((time) => time <= world.now - 60_000);
        const expected = timesUntil(world, world.now - 60_000);
        // After a long gap, only the latest are on record.
        expect(times.toSorted((a, b) => a - b)).toEqual(
          definition.everyMs! < 3_000 ? expect.arrayContaining(expected.slice(-50)) : expected,
        );
        const byTime = [...world.messages.values()].filter(({ trigger }) => trigger !== "MANUAL");
        const order = byTime.map(({ runTime }) => runTime);
        expect(order).toEqual(order.toSorted((a, b) => a - b));
      }),
      { numRuns: 150 },
    );
  },
);

/** The world itself refuses a second message for a run time, a cursor behind a run, and a cancel that cannot be. */
test(
  "whatever happens, no run time gets a second message, and none overlaps",
  { timeout: 600_000 },
  () => {
    fc.assert(
      fc.property(definitions, fc.array(wild, { maxLength: 40 }), (definition, acts) => {
        const world = worldOf(definition);
        for (const act of acts) {
          play(world, act);
          if (definition.overlap !== "allow") expect(alive(world).length).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: 500 },
    );
  },
);
