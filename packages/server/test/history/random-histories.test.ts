import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { judge } from "./judge.ts";
import { Chance } from "./support/chance.ts";
import { mergeHistories } from "./support/merge-histories.ts";
import { referenceRun } from "./support/reference-run.ts";
import { tamperedAnswers } from "./support/tampered-answers.ts";
import { tamperedDeliveries } from "./support/tampered-deliveries.ts";

const options = {
  seed: fc.integer(),
  messages: fc.integer({ min: 1, max: 8 }),
  calls: fc.integer({ min: 0, max: 5 }),
  crashes: fc.integer({ min: 0, max: 3 }),
  retentionMs: fc.constantFrom(1_000, 10_000_000),
  limit: fc.integer({ min: 1, max: 10 }),
};
const runs = fc.record(options);

test("the judge finds nothing in histories of a correct service", () => {
  fc.assert(
    fc.property(runs, (run) => {
      const { violations } = judge(referenceRun(run));
      expect(violations.map(({ title, story }) => [title, ...story].join("\n"))).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

describe("the judge finds one lie in such a history", () => {
  const lasting = fc.record({
    ...options,
    messages: fc.integer({ min: 4, max: 10 }),
    calls: fc.integer({ min: 1, max: 3 }),
    crashes: fc.constantFrom(0, 0, 0, 2),
    retentionMs: fc.constant(10_000_000),
  });
  test.each(Object.entries({ ...tamperedDeliveries, ...tamperedAnswers }))(
    "%s",
    (_, { breaks, tamper }) => {
      let told = 0;
      fc.assert(
        fc.property(lasting, (run) => {
          const lie = tamper(referenceRun(run), new Chance(run.seed));
          if (lie === undefined) return;
          told++;
          const found = new Set(judge(lie).violations.map(({ promise }) => promise));
          expect(breaks.some((promise) => found.has(promise))).toBe(true);
        }),
        { numRuns: 120 },
      );
      expect(told).toBeGreaterThan(0);
    },
  );
});

test("judging ten times as many messages takes no more than forty times as long", () => {
  const run = { seed: 7, messages: 200, calls: 2, crashes: 2, retentionMs: 10_000_000, limit: 200 };
  const once = referenceRun(run);
  const cpuMsOf = (count: number): number => {
    const history = mergeHistories(Array.from({ length: count }, () => once));
    expect(history.final.messages.size).toBeGreaterThan(190 * count);
    const before = process.cpuUsage();
    expect(judge(history).violations).toEqual([]);
    // Measures CPU time, because other tests run at the same time.
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  cpuMsOf(10);
  // A judge that compared all with all would take a hundred times as long.
  expect(cpuMsOf(100)).toBeLessThan(40 * cpuMsOf(10));
});
