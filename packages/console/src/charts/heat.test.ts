import { expect, test } from "vitest";
import { heatOf } from "./heat.ts";

test("nothing is cold, the highest is hottest, and a burst leaves the others visible", () => {
  expect([0, 1, 40, 1_000, 1_000_000].map((value) => heatOf(value, 1, 1_000_000))).toEqual([
    0, 1, 2, 3, 4,
  ]);
  expect(heatOf(1, 1, 1)).toBe(4);
});

test("what comes every hour does not hide what comes besides", () => {
  expect([60, 90, 130, 240].map((value) => heatOf(value, 60, 240))).toEqual([1, 2, 3, 4]);
});
