import { expect, test } from "vitest";
import { median, percentile, ratiosOf } from "./medians.ts";

test("the median is the middle value, or between the two middle values", () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([4, 1, 3, 2])).toBe(2.5);
});

test("numbers are ordered by size, not as text", () => {
  expect(median([100, 9, 20])).toBe(20);
  expect(percentile([100, 9, 20], 1)).toBe(100);
});

test("a percentile is one of the values, and its share of all values is not above it", () => {
  const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
  expect(percentile(hundred, 0)).toBe(1);
  expect(percentile(hundred, 0.5)).toBe(50);
  expect(percentile(hundred, 0.99)).toBe(99);
  expect(percentile(hundred, 1)).toBe(100);
  expect(percentile([7], 0.99)).toBe(7);
  expect(percentile([1, 2, 3], 0.5)).toBe(2);
});

test("ratios compare values of the same turn", () => {
  expect(ratiosOf([1, 4, 9], [2, 4, 3])).toEqual([0.5, 1, 3]);
});
