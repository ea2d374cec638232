import { expect, test } from "vitest";
import { yearOfDays } from "./year-of-days.ts";

const run = (localTime: string, mark: "gap" | "fold" | null = null) => ({
  time: "",
  localTime,
  offset: "+01:00",
  mark,
});

test("a year has its days in months, with the runs of each day", () => {
  const months = yearOfDays("2026-11-18", [
    run("2026-11-18T09:00:00"),
    run("2026-11-18T17:00:00"),
    run("2027-03-28T03:00:00", "gap"),
  ]);
  expect(months.map(({ month }) => month)).toHaveLength(13);
  const [first] = months;
  expect(first).toMatchObject({ month: "2026-11", before: 2 });
  expect(first!.days[0]).toEqual({ date: "2026-11-18", runs: 2, isOdd: false });
  const days = months.flatMap((month) => month.days);
  expect(days).toHaveLength(365);
  expect(days.find(({ isOdd }) => isOdd)).toEqual({ date: "2027-03-28", runs: 1, isOdd: true });
});
