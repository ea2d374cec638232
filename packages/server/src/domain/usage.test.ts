import { expect, test } from "vitest";
import { monthAround, monthNamed, monthOf, oldestKeptMonth } from "./usage.ts";

test("a month begins and ends at midnight, UTC", () => {
  const turn = Date.UTC(2026, 11, 1);
  expect([monthOf(turn - 1), monthOf(turn)]).toEqual(["2026-11", "2026-12"]);
  expect(monthAround(turn - 1)).toEqual({ start: Date.UTC(2026, 10, 1), end: turn });
  expect(monthAround(turn)).toEqual({ start: turn, end: Date.UTC(2027, 0, 1) });
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
