import { expect, test } from "vitest";
import { comparedFigure, isReached } from "./figure.ts";

test("what counts is the median of the ratios, not the ratio of the medians", () => {
  const figure = comparedFigure({ name: "a", unit: "/s" }, [10, 50, 90], {
    name: "limit",
    values: [100, 100, 300],
  });
  expect(figure.value).toBe(50);
  expect(figure.comparison).toMatchObject({ value: 100, ratio: 0.3, ratios: [0.1, 0.5, 0.3] });
});

test("the bound is one of the ratio where there is a comparison, else of the value", () => {
  const limit = { name: "limit", values: [100] };
  const ratio = (value: number) =>
    comparedFigure({ name: "a", unit: "/s", wanted: { atLeast: 0.7 } }, [value], limit);
  expect(isReached(ratio(70))).toBe(true);
  expect(isReached(ratio(69))).toBe(false);
  const late = (value: number) => ({ name: "b", unit: "ms", value, wanted: { atMost: 5 } });
  expect(isReached(late(5))).toBe(true);
  expect(isReached(late(5.1))).toBe(false);
  expect(isReached({ name: "c", unit: "ms", value: 1 })).toBeUndefined();
});
