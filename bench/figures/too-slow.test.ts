import { expect, test } from "vitest";
import { comparedFigure } from "./figure.ts";
import { whyTooSlow } from "./too-slow.ts";

const drained = (value: number) =>
  comparedFigure({ name: "drain", unit: "/s", wanted: { atLeast: 0.5 } }, [value], {
    name: "bare undici",
    values: [100],
  });

test("a ratio below half of its bound is reported in a sentence", () => {
  expect(whyTooSlow(drained(24))).toBe(
    "drain: 0.24 of bare undici, less than 0.25, which is half of the 0.50 that is wanted.",
  );
});

test("half of the bound is enough, and nothing else is judged", () => {
  expect(whyTooSlow(drained(25))).toBeUndefined();
  expect(
    whyTooSlow({ name: "p99", unit: "ms", value: 900, wanted: { atMost: 5 } }),
  ).toBeUndefined();
  expect(whyTooSlow({ ...drained(1), wanted: undefined })).toBeUndefined();
});
