import { expect, test } from "vitest";
import { TimeZones } from "../../time-zones/time-zones.ts";
import { someDefinition } from "../steps/testing/some-definition.ts";
import { occurrencesOf } from "./occurrences.ts";
import { isSameRecurrence, recurrenceOf } from "./recurrence-of.ts";
import { TextMemo } from "./text-memo.ts";

const creationTime = Date.UTC(2027, 0, 1);
const zones = new TimeZones();

function firstOf(given: Parameters<typeof someDefinition>[0]): string {
  const recurrence = recurrenceOf({ ...someDefinition(given), creationTime }, zones);
  return new Date(occurrencesOf(recurrence, creationTime + 1).next().value!.time).toISOString();
}

test.each([
  [{ cron: ["0 9 * * *", "30 8 * * *"], timeZone: "Europe/Berlin" }, "2027-01-01T07:30:00.000Z"],
  [{ cron: ["0 9 * * *"], except: ["2027-01-01", "2027-01-02T09:00"] }, "2027-01-03T09:00:00.000Z"],
  [{ at: ["2027-02-01T00:00"], timeZone: "Asia/Tokyo" }, "2027-01-31T15:00:00.000Z"],
  [{ everyMs: 60_000 }, "2027-01-01T00:01:00.000Z"],
  [{ everyMs: 60_000, startTime: creationTime + 7_000 }, "2027-01-01T00:00:07.000Z"],
])("%j is first due at %s", (given, expected) => {
  expect(firstOf(given)).toBe(expected);
  expect(firstOf(given)).toBe(expected);
});

test("a stored text that cannot be read is a bug", () => {
  expect(() => firstOf({ cron: ["61 * * * *"] })).toThrow("cannot be read");
  expect(() => firstOf({ at: ["tomorrow"] })).toThrow("cannot be read");
  expect(() => firstOf({ timeZone: "Mars/Olympus" })).toThrow("Mars/Olympus");
});

test("two definitions recur alike if all that says when is equal", () => {
  const one = { ...someDefinition(), creationTime };
  expect(isSameRecurrence(one, { ...one, creationTime: 0 })).toBe(true);
  for (const other of [
    { cron: ["1 * * * *"] },
    { timeZone: "Europe/Berlin" },
    { startTime: 1 },
    { endTime: 1 },
    { except: ["2027-01-01"] },
    { cron: null, everyMs: 1_000 },
    { cron: null, at: ["2027-01-01T00:00"] },
  ]) {
    expect(isSameRecurrence(one, { ...one, ...other })).toBe(false);
  }
  const interval = { ...one, cron: null, everyMs: 1_000 };
  expect(isSameRecurrence(interval, { ...interval, creationTime: 0 })).toBe(false);
});

test("texts are read once, unless they are long or many", () => {
  let reads = 0;
  const memo = new TextMemo((texts) => ({ length: texts.length, read: ++reads }));
  expect(memo.get(["a", "b"])).toBe(memo.get(["a", "b"]));
  expect(memo.get(["a"])).not.toBe(memo.get(["b"]));
  const long = ["x".repeat(2_001)];
  expect(memo.get(long)).not.toBe(memo.get(long));
  const before = memo.get(["a"]);
  for (let index = 0; index < 5_000; index++) memo.get([`${index}`]);
  expect(memo.get(["a"])).toBe(before);
  for (let index = 0; index < 6_000; index++) memo.get([`${index}`]);
  expect(memo.get(["a"])).not.toBe(before);
});
