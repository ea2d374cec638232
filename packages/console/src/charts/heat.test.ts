import { expect, test } from "vitest";
import { heatOf } from "./heat.ts";

test("nothing is cold, the highest is hottest, and a burst leaves the others visible", () => {
  expect([0, 1, 30, 1_000, 1_000_000].map((value) => heatOf(value, 1_000_000))).toEqual([
    0, 1, 1, 3, 4,
  ]);
  expect(heatOf(1, 1)).toBe(4);
});
