import { expect, test } from "vitest";
import { comparedFigure, isReached } from "./figure.ts";

test("the median of the ratios counts, not the ratio of the medians", () => {
  const figure = comparedFigure({ name: "a", unit: "/s" }, [10, 50, 90], {
    name: "limit",
    values: [100, 100, 300],
  });
  expect(figure.value).toBe(50);
  expect(figure.comparison).toMatchObject({ value: 100, ratio: 0.3, ratios: [0.1, 0.5, 0.3] });
});

test("the bound applies to the ratio if there is a comparison, otherwise to the value", () => {
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
