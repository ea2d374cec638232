import fc from "fast-check";
import { expect, test } from "vitest";
import type { Instant } from "../../instant.ts";
import type { ScheduleDefinition } from "../schedule.ts";
import type { ScheduleChange } from "../steps.ts";
import { PlainLedger } from "./testing/plain-ledger.ts";
import { someDefinition } from "./testing/some-definition.ts";
import { clock, World } from "./testing/world.ts";

const begin = clock("08:59:30");
const worldMs = 4 * 3_600_000;

const whens = fc.oneof(
  fc.constantFrom(
    ...["* * * * *", "*/3 * * * *", "*/2 * * * * *", "30 * * * * *", "5,20 9,10 * * *"].map(
      (cron) => ({ cron: [cron] }),
    ),
    { cron: ["*/2 * * * *", "*/3 * * * *"] },
    { cron: ["* * * * *"], except: ["2027-01-01T09:03", "2027-01-01T09:04"] },
  ),
  fc.integer({ min: 1, max: 200 }).map((seconds) => ({ cron: null, everyMs: seconds * 1_000 })),
  fc
    .uniqueArray(fc.integer({ min: 0, max: 59 }), { minLength: 1, maxLength: 20 })
    .map((minutes) => ({
      cron: null,
      at: minutes.map((minute) => `2027-01-01T09:${String(minute).padStart(2, "0")}`),
    })),
);

const definitions: fc.Arbitrary<ScheduleDefinition> = fc
  .tuple(
    whens,
    fc.record({
      maxRuns: fc.option(fc.integer({ min: 1, max: 12 }), { freq: 2 }),
      flexWindowMs: fc.constantFrom(0, 0, 30_000, 600_000),
      catchUp: fc.record({
        mode: fc.constantFrom("last" as const, "all" as const, "none" as const),
        windowMs: fc.constantFrom(60_000, 200_000, 86_400_000),
      }),
    }),
  )
  .map(([when, others]) => someDefinition({ ...others, ...when }));

/** Seconds: many short ones, and some long ones. */
const spans = fc.oneof(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 500 }));

type Act =
  | { readonly kind: "pass" | "outage"; readonly seconds: number }
  | { readonly kind: "pause"; readonly seconds: number | null }
  | { readonly kind: "resume" | "trigger" }
  | { readonly kind: "edit"; readonly definition: ScheduleDefinition }
  /** The time at this place among those around now. */
  | { readonly kind: "skip" | "unskip"; readonly place: number };

const acts: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("pass"), seconds: spans }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("outage"), seconds: spans }) },
  fc.record({ kind: fc.constant("pause"), seconds: fc.option(spans.map((each) => each + 1)) }),
  fc.constantFrom({ kind: "resume" } as const, { kind: "trigger" } as const),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("edit"), definition: definitions }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("skip"), place: fc.integer({ min: -2, max: 6 }) }),
  },
  fc.record({ kind: fc.constant("unskip"), place: fc.integer({ min: 0, max: 3 }) }),
);

function changeOf(act: Act, now: Instant, times: readonly Instant[], skips: readonly Instant[]) {
  switch (act.kind) {
    case "pause": {
      const until = act.seconds === null ? null : now + act.seconds * 1_000;
      return { kind: "pause", note: null, until } as const;
    }
    case "edit":
      return { kind: "define", definition: act.definition, ifRevision: null } as const;
    case "skip": {
      const first = times.findIndex((time) => time > now);
      return { kind: "skip", time: times[first + act.place] ?? now } as const;
    }
    case "unskip":
      return { kind: "unskip", time: skips[act.place] ?? now } as const;
    default:
      return { kind: act.kind } as ScheduleChange;
  }
}

const byTime = (text: string) => !text.includes("MANUAL");

test("what is on record is what enumerating all run times says", { timeout: 120_000 }, () => {
  fc.assert(
    fc.property(definitions, fc.array(acts, { maxLength: 25 }), (definition, given) => {
      const ledger = new PlainLedger(definition, begin, begin + worldMs);
      fc.pre(ledger.timesOf(definition).length > 0);
      const world = new World(definition, begin);
      for (const act of given) {
        if (act.kind === "pass" || act.kind === "outage") {
          const time = world.now + act.seconds * 1_000;
          const isLookedAt = act.kind === "pass";
          if (isLookedAt) ledger.look();
          ledger.passUntil(time, isLookedAt);
          if (isLookedAt) world.runUntil(time);
          else world.outageUntil(time);
        } else {
          const change = changeOf(
            act,
            world.now,
            ledger.timesOf(world.schedule),
            world.schedule.skips,
          );
          const isDone = typeof world.change(change) !== "string";
          expect(ledger.change(change), `${change.kind} at ${world.now}`).toBe(isDone);
          // A step decides a bounded number of run times.
          if (isDone && change.kind !== "trigger") world.runUntil(world.now);
        }
        expect(world.told.filter(byTime)).toEqual(ledger.told);
        expect(world.schedule.progress.madeRuns).toBe(ledger.made);
        const isOverdue =
          world.schedule.pause?.until != null && world.schedule.pause.until <= world.now;
        if (!isOverdue) expect(nextIn(world)).toBe(ledger.nextRunTime);
      }
    }),
    { numRuns: 300 },
  );
});

/** The ledger knows only the run times of its world. */
function nextIn({ schedule }: World): Instant | null {
  const { nextRunTime } = schedule;
  return nextRunTime === null || nextRunTime > begin + worldMs ? null : nextRunTime;
}
