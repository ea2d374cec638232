import { expect, test } from "vitest";
import { monthAround, monthNamed, monthOf, oldestKeptMonth } from "./usage.ts";

test("a month begins and ends at midnight, UTC", () => {
  const midnight = Date.UTC(2026, 11, 1);
  expect([monthOf(midnight - 1), monthOf(midnight)]).toEqual(["2026-11", "2026-12"]);
  expect(monthAround(midnight - 1)).toEqual({ start: Date.UTC(2026, 10, 1), end: midnight });
  expect(monthAround(midnight)).toEqual({ start: midnight, end: Date.UTC(2027, 0, 1) });
});

test("the same month of last year is kept, also on the last day of a month", () => {
  expect(oldestKeptMonth(Date.UTC(2027, 10, 30, 23, 59)) <= "2026-11").toBe(true);
  expect(oldestKeptMonth(Date.UTC(2028, 1, 29, 23, 59)) <= "2027-02").toBe(true);
  expect(oldestKeptMonth(Date.UTC(2027, 10, 1)) > "2026-08").toBe(true);
});

test("the name of a month gives its span", () => {
  for (const time of [Date.UTC(2026, 11, 31, 23), Date.UTC(2028, 1, 29), Date.UTC(2027, 0, 1)]) {
    expect(monthNamed(monthOf(time))).toEqual(monthAround(time));
  }
});
