import { expect, test } from "vitest";
import { daysOfHours } from "./days-of-hours.ts";

const hourMs = 3_600_000;
const itemsFrom = (from: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    time: new Date(Date.parse(from) + index * hourMs).toISOString(),
    messages: index,
    runs: 2,
  }));

test("hours stand in the days of the zone", () => {
  const days = daysOfHours(itemsFrom("2026-11-18T22:00:00Z", 4), "Europe/Berlin");
  expect(days.map(({ date }) => date)).toEqual(["2026-11-18", "2026-11-19"]);
  expect(days[0]!.hours[23]).toMatchObject({ messages: 0, label: "2026-11-18 23:00 CET" });
  expect(days[0]!.hours[0]).toBeUndefined();
  expect(days[1]!.hours.slice(0, 4).map((hour) => hour?.messages)).toEqual([1, 2, 3, undefined]);
});

test("an hour that clocks show twice is one cell, and one that they skip is none", () => {
  const [autumn] = daysOfHours(itemsFrom("2026-10-25T00:00:00Z", 3), "Europe/Berlin");
  expect(autumn!.hours[2]).toMatchObject({
    from: Date.parse("2026-10-25T00:00:00Z"),
    until: Date.parse("2026-10-25T02:00:00Z"),
    messages: 1,
    runs: 4,
  });
  const [spring] = daysOfHours(itemsFrom("2027-03-28T00:00:00Z", 3), "Europe/Berlin");
  expect(spring!.hours.slice(0, 5).map((hour) => hour?.messages)).toEqual([
    undefined,
    0,
    undefined,
    1,
    2,
  ]);
});
