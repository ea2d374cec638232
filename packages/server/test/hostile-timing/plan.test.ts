import { expect, test } from "vitest";
import { describePlan, flavours, makePlan } from "./plan.ts";
import type { PlanOptions } from "./plan.ts";

const options: PlanOptions = { seed: "a", flavours, nodes: 3, forMs: 15_000 };

test("a seed gives the same plan again, and another seed another one", () => {
  expect(makePlan(options)).toEqual(makePlan(options));
  expect(makePlan({ ...options, seed: "b" })).not.toEqual(makePlan(options));
});

test.each(flavours)("%s: the plan is the same beside other flavours", (flavour) => {
  const alone = makePlan({ ...options, flavours: [flavour] });
  expect(alone.length).toBeGreaterThan(0);
  expect(makePlan(options)).toEqual(expect.arrayContaining(alone));
});

test("a plan can be read", () => {
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
