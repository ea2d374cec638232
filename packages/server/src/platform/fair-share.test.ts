import { describe, expect, test } from "vitest";
import { FairShare, fairShareOf } from "./fair-share.ts";

describe("the share of one holder", () => {
  test.each([
    [9, 8, 8],
    [1_000, 8, 888],
    [15, 1, 7],
    [1, 1, 0],
    [0, 8, 0],
  ])("of %i that others leave, at a multiple of %i: %i", (left, multiple, share) => {
    expect(fairShareOf(left, multiple)).toBe(share);
  });

  test("is the largest number within the multiple of what stays free", () => {
    for (let left = 0; left <= 100; left++) {
      for (const multiple of [1, 2, 8]) {
        const share = fairShareOf(left, multiple);
        expect(share).toBeLessThanOrEqual(multiple * (left - share));
        expect(share + 1).toBeGreaterThan(multiple * (left - share - 1));
      }
    }
  });

  test("is zero when nothing is left", () => {
    expect(fairShareOf(-3, 8)).toBeLessThan(0);
  });
});

/** Takes one at a time while there is room. */
function takeAll(share: FairShare): number {
  let held = 0;
  while (share.take(1, held)) held++;
  return held;
}

describe("holders who take all they can", () => {
  test("leave something for each later holder", () => {
    const share = new FairShare({ limit: 100, guaranteed: 0, multiple: 8 });
    expect([takeAll(share), takeAll(share), takeAll(share)]).toEqual([88, 10, 1]);
  });

  test("get the last one if they hold nothing, and none beyond the limit", () => {
    const share = new FairShare({ limit: 3, guaranteed: 0 });
    expect([1, 2, 3, 4].map(() => takeAll(share))).toEqual([1, 1, 1, 0]);
  });

  test("get their guaranteed amount even beyond the limit", () => {
    const share = new FairShare({ limit: 3, guaranteed: 2 });
    expect([1, 2, 3, 4].map(() => takeAll(share))).toEqual([2, 2, 2, 2]);
  });

  test("can take what was given back", () => {
    const share = new FairShare({ limit: 10, guaranteed: 0 });
    expect(takeAll(share)).toBe(5);
    share.overdraw(5);
    expect(share.fits(1, 0)).toBe(false);
    share.giveBack(10);
    expect(takeAll(share)).toBe(5);
  });

  test("can take everything at once if all of it is free and they hold nothing", () => {
    const share = new FairShare({ limit: 10, guaranteed: 0 });
    expect([share.fits(10, 0), share.fits(11, 0)]).toEqual([true, false]);
    share.take(1, 0);
    expect([share.fits(4, 1), share.fits(5, 1)]).toEqual([true, false]);
  });
});
