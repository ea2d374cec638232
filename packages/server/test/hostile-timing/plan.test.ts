import { expect, test } from "vitest";
import { describePlan, flavours, makePlan } from "./plan.ts";
import type { PlanOptions } from "./plan.ts";

const options: PlanOptions = { seed: "a", flavours, nodes: 3, forMs: 15_000 };

test("a seed always gives the same plan, and another seed gives another plan", () => {
  expect(makePlan(options)).toEqual(makePlan(options));
  expect(makePlan({ ...options, seed: "b" })).not.toEqual(makePlan(options));
});

test.each(flavours)("%s: other flavours do not change its plan", (flavour) => {
  const alone = makePlan({ ...options, flavours: [flavour] });
  expect(alone.length).toBeGreaterThan(0);
  expect(makePlan(options)).toEqual(expect.arrayContaining(alone));
});

test("a plan is readable", () => {
  const planned = {
    afterMs: 1_240,
    node: 1,
    statement: "record-attempts",
    inTransaction: false,
    intervention: { kind: "deliver after close", afterMs: 700 },
  } as const;
  expect(describePlan([planned])).toBe(
    "   1240 ms  node 1, record-attempts: deliver after close, afterMs 700",
  );
});
