import fc from "fast-check";
import { expect, test } from "vitest";
import { admit, spread } from "./usage-shares.ts";
import type { UsageShare } from "./usage-shares.ts";

const sum = (shares: readonly UsageShare[], of: (share: UsageShare) => number): number =>
  shares.reduce((total, share) => total + of(share), 0);
const usedIn = (shares: readonly UsageShare[]): number => sum(shares, ({ used }) => used);

test("admits up to exactly the limit and never grants more than is left, whatever came before", () => {
  const step = fc.record({ limit: fc.nat(20_000), count: fc.nat(1_000) });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 80 }), (steps) => {
      let shares: readonly UsageShare[] = [];
      for (const { limit, count } of steps) {
        const before = usedIn(shares);
        const admission = admit(shares, limit, count);
        shares = admission.shares;
        expect(admission.admitted).toBe(Math.min(count, Math.max(0, limit - before)));
        expect(usedIn(shares)).toBe(before + admission.admitted);
        expect(sum(shares, ({ granted }) => granted!)).toBe(Math.max(limit, usedIn(shares)));
        expect(shares.every(({ used, granted }) => granted! >= used)).toBe(true);
        expect(shares.map(({ share }) => share)).toEqual([...shares.keys()]);
      }
    }),
  );
});

test("an account begins with one share, and gets more as needed, up to a bound", () => {
  let shares: readonly UsageShare[] = [];
  for (let count = 1; count <= 100; count++) {
    shares = admit(shares, null, 10).shares;
    expect(shares).toHaveLength(Math.min(count, 64));
    expect(admit(shares, null, 10).shares).toHaveLength(count === 1 ? 2 : shares.length);
    shares = shares.map((share) => ({ ...share, used: Math.max(1, share.used) }));
  }
  expect(shares.every(({ granted }) => granted === null)).toBe(true);
});

test("the rest goes to as many shares as it suffices for", () => {
  const three = [0, 1, 2].map((share) => ({ share, used: 10, granted: 10 }));
  expect(spread(three, 1_030).map(({ granted }) => granted)).toEqual([344, 343, 343]);
  expect(spread(three, 180).map(({ granted }) => granted)).toEqual([85, 85, 10]);
  expect(spread(three, 31).map(({ granted }) => granted)).toEqual([11, 10, 10]);
  expect(spread(three, 0).map(({ granted }) => granted)).toEqual([10, 10, 10]);
});
