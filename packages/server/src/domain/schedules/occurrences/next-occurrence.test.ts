import { expect, test } from "vitest";
import { findZone } from "../../time-zones/time-zone.ts";
import { Exceptions } from "./exceptions.ts";
import { nextOccurrence } from "./next-occurrence.ts";
import { cronRule, recurring } from "./testing/recurring.ts";

const rule = cronRule("0 9 * * *");
const nine = Date.UTC(2026, 10, 16, 9);
const day = 86_400_000;

test("the same expression is another one in another zone, between other bounds, and with other exceptions", () => {
  const inUtc = recurring(rule, "UTC");
  const ask = (given: Partial<typeof inUtc>) => nextOccurrence({ ...inUtc, ...given }, nine - 1);
  expect(ask({})).toBe(nine);
  expect(ask({ zone: findZone("Asia/Tokyo")! })).toBe(nine + 15 * 3_600_000);
  expect(ask({})).toBe(nine);
  expect(ask({ startTime: nine + 1 })).toBe(nine + day);
  expect(ask({ endTime: nine - 1 })).toBeNull();
  expect(ask({ exceptions: new Exceptions([nine / day - 9 / 24], []) })).toBe(nine + day);
  expect(ask({})).toBe(nine);
});

test("each instant has its own answer, asked again or not", () => {
  const recurrence = recurring(rule, "UTC");
  const asked = [nine - 1, nine, nine, nine - 1, nine + day];
  expect(asked.map((after) => nextOccurrence(recurrence, after))).toEqual([
    nine,
    nine + day,
    nine + day,
    nine,
    nine + 2 * day,
  ]);
});
