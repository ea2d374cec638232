import fc from "fast-check";
import { expect, test } from "vitest";
import { rateAllowance, rateOpensAt, spendRate } from "./rate-limit.ts";

const limits = fc.record({
  max: fc.integer({ min: 1, max: 500 }),
  intervalMs: fc.integer({ min: 1, max: 10_000 }),
});

test("a full bucket allows a burst of max, then one every intervalMs / max", () => {
  const limit = { max: 4, intervalMs: 1_000 };
  expect(rateAllowance(limit, 0, 5_000)).toBe(4);
  const fullAt = spendRate(limit, 0, 5_000, 4);
  expect(rateAllowance(limit, fullAt, 5_000)).toBe(0);
  expect(rateOpensAt(limit, fullAt, 5_000)).toBe(5_250);
  expect(rateAllowance(limit, fullAt, 5_249)).toBe(0);
  expect(rateAllowance(limit, fullAt, 5_250)).toBe(1);
  expect(rateAllowance(limit, fullAt, 6_000)).toBe(4);
});

test("a raised limit or a clock that was set back does not keep it closed", () => {
  const slow = { max: 1, intervalMs: 3_600_000 };
  const quick = { max: 1_000, intervalMs: 1_000 };
  const fullAt = spendRate(slow, 0, 5_000, 1);
  expect(rateOpensAt(quick, fullAt, 5_000)).toBe(5_001);
  expect(rateAllowance(quick, fullAt, 6_000)).toBe(0);
  const spent = spendRate(quick, fullAt, 5_000, 0);
  expect(rateAllowance(quick, spent, 6_000)).toBe(1_000);
});

test("any span of time allows at most max plus the refill, even for a greedy user", () => {
  fc.assert(
    fc.property(limits, fc.array(fc.nat(50), { minLength: 1, maxLength: 200 }), (limit, steps) => {
      const start = 1_000_000;
      let now = start;
      let fullAt = 0;
      let sent = 0;
      for (const stepMs of steps) {
        now += stepMs;
        const allowed = rateAllowance(limit, fullAt, now);
        fullAt = spendRate(limit, fullAt, now, allowed);
        sent += allowed;
        const share = ((now - start) * limit.max) / limit.intervalMs;
        expect(sent).toBeLessThanOrEqual(limit.max + share + 0.001);
      }
    }),
  );
});

test("it opens at the first whole instant that allows an attempt", () => {
  fc.assert(
    fc.property(limits, fc.nat(10_000), (limit, late) => {
      const now = 1_000_000 + late;
      const fullAt = spendRate(limit, 0, now, limit.max);
      const opensAt = rateOpensAt(limit, fullAt, now);
      expect(rateAllowance(limit, fullAt, opensAt)).toBeGreaterThan(0);
      expect(rateAllowance(limit, fullAt, opensAt - 2)).toBe(
        limit.intervalMs / limit.max <= 2 ? rateAllowance(limit, fullAt, opensAt - 2) : 0,
      );
    }),
  );
});
