import { describe, expect, test } from "vitest";
import { Effort } from "./effort.ts";
import { Exceptions } from "./exceptions.ts";
import { parseException } from "./local-time.ts";
import { mostSteps, occurrencesOf } from "./occurrences.ts";
import type { Recurrence, Rule } from "./occurrences.ts";
import { cronRule, firstTexts, recurring } from "./testing/recurring.ts";

function except(...texts: readonly string[]): Pick<Recurrence, "exceptions"> {
  const days: number[] = [];
  const times: number[] = [];
  for (const text of texts) {
    const parsed = parseException(text);
    if (!parsed.ok) throw new Error(parsed.reason);
    if ("day" in parsed) days.push(parsed.day);
    else times.push(parsed.wallTime);
  }
  return { exceptions: new Exceptions(days, times) };
}

function at(...texts: readonly string[]): Rule {
  return { kind: "at", wallTimes: texts.map((text) => Date.parse(`${text}Z`)) };
}

describe("fixed times, where libraries were measured to lose or double some", () => {
  test.each([
    [
      ...["30 23 * * *", "America/Nuuk", "2026-03-28T00:00:00-02:00"],
      ["2026-03-29T00:00:00-01:00 gap", "2026-03-29T23:30:00-01:00", "2026-03-30T23:30:00-01:00"],
    ],
    [
      ...["0 2,14 * * *", "Europe/Berlin", "2026-03-28T12:00:00+01:00"],
      [
        "2026-03-28T14:00:00+01:00",
        "2026-03-29T03:00:00+02:00 gap",
        "2026-03-29T14:00:00+02:00",
        "2026-03-30T02:00:00+02:00",
      ],
    ],
    [
      ...["0 2,14 * * *", "Europe/Berlin", "2026-10-25T00:00:00+02:00"],
      ["2026-10-25T02:00:00+02:00 fold", "2026-10-25T14:00:00+01:00", "2026-10-26T02:00:00+01:00"],
    ],
    [
      ...["0 0 * * *", "America/Santiago", "2026-09-05T12:00:00-04:00"],
      ["2026-09-06T01:00:00-03:00 gap", "2026-09-07T00:00:00-03:00"],
    ],
    [
      ...["30 23 * * *", "America/Santiago", "2026-04-04T12:00:00-03:00"],
      ["2026-04-04T23:30:00-03:00 fold", "2026-04-05T23:30:00-04:00"],
    ],
    [
      ...["15 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00:00+10:30"],
      ["2026-10-04T02:30:00+11:00 gap", "2026-10-05T02:15:00+11:00"],
    ],
    [
      ...["45 1 * * *", "Australia/Lord_Howe", "2026-04-04T12:00:00+11:00"],
      ["2026-04-05T01:45:00+11:00 fold", "2026-04-06T01:45:00+10:30"],
    ],
    [
      ...["0,20,40 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00+01:00"],
      ["2026-03-29T03:00:00+02:00 gap", "2026-03-30T02:00:00+02:00"],
    ],
    [
      ...["0 2,3 * * *", "Europe/Berlin", "2026-03-28T12:00:00+01:00"],
      ["2026-03-29T03:00:00+02:00 gap", "2026-03-30T02:00:00+02:00"],
    ],
    [
      ...["0 9 * * *", "Pacific/Apia", "2011-12-29T12:00:00-10:00"],
      ["2011-12-31T00:00:00+14:00 gap", "2011-12-31T09:00:00+14:00"],
    ],
  ] as const)("%s in %s after %s", (cron, zone, from, expected) => {
    expect(firstTexts(recurring(cronRule(cron), zone), from, expected.length)).toEqual(expected);
  });

  test("a search may begin inside a gap's end and inside a fold", () => {
    const twice = recurring(cronRule("30 2 * * *"), "Europe/Berlin");
    const gapEnd = "2026-03-29T01:00:00.000Z";
    expect(firstTexts(twice, gapEnd, 1)).toEqual(["2026-03-29T03:00:00+02:00 gap"]);
    expect(firstTexts(twice, "2026-03-29T01:00:00.001Z", 1)).toEqual(["2026-03-30T02:30:00+02:00"]);
    expect(firstTexts(twice, "2026-10-25T01:00:00Z", 1)).toEqual(["2026-10-26T02:30:00+01:00"]);
  });
});

describe("other expressions follow the clocks", () => {
  test.each([
    [
      ...["*/30 * * * *", "2026-03-29T00:15:00Z"],
      ["2026-03-29T01:30:00+01:00", "2026-03-29T03:00:00+02:00", "2026-03-29T03:30:00+02:00"],
    ],
    [
      ...["0-30/30 2 * * *", "2026-03-28T12:00:00Z"],
      ["2026-03-30T02:00:00+02:00", "2026-03-30T02:30:00+02:00"],
    ],
    [
      ...["30 * * * *", "2026-10-25T00:00:00Z"],
      [
        "2026-10-25T02:30:00+02:00 fold",
        "2026-10-25T02:30:00+01:00 fold",
        "2026-10-25T03:30:00+01:00",
      ],
    ],
    [
      ...["@hourly", "2026-10-24T23:30:00Z"],
      ["2026-10-25T02:00:00+02:00 fold", "2026-10-25T02:00:00+01:00 fold"],
    ],
    [
      ...["*/30 2 25 10 *", "2026-10-24T12:00:00Z"],
      [
        "2026-10-25T02:00:00+02:00 fold",
        "2026-10-25T02:30:00+02:00 fold",
        "2026-10-25T02:00:00+01:00 fold",
        "2026-10-25T02:30:00+01:00 fold",
        "2027-10-25T02:00:00+02:00",
      ],
    ],
    [
      ...["*/30 9 29 2 +MON", "2026-01-01T00:00:00Z"],
      ["2044-02-29T09:00:00+01:00", "2044-02-29T09:30:00+01:00", "2072-02-29T09:00:00+01:00"],
    ],
  ] as const)("%s after %s", (cron, from, expected) => {
    const recurrence = recurring(cronRule(cron), "Europe/Berlin");
    expect(firstTexts(recurrence, from, expected.length)).toEqual(expected);
  });
});

describe("times that are named one by one", () => {
  test("come in order and once, at the end of a gap and first in a fold", () => {
    const rule = at(
      ...["2026-10-25T02:30:00", "2026-03-29T02:30:00", "2026-03-29T02:10:00"],
      ...["2026-03-29T03:00:00", "2025-01-01T00:00:00"],
    );
    expect(firstTexts(recurring(rule, "Europe/Berlin"), "2026-01-01T00:00:00Z", 9)).toEqual([
      "2026-03-29T03:00:00+02:00 gap",
      "2026-10-25T02:30:00+02:00 fold",
    ]);
  });
});

describe("intervals", () => {
  const every = (everyMs: number, since: string): Rule => ({
    ...{ kind: "every", everyMs, since: Date.parse(since) },
  });

  test("count elapsed time from their beginning, across changes of clocks", () => {
    const rule = every(3_600_000, "2026-03-29T00:30:00+01:00");
    const recurrence = recurring(rule, "Europe/Berlin");
    expect(firstTexts(recurrence, "2026-03-29T01:00:00+01:00", 2)).toEqual([
      "2026-03-29T01:30:00+01:00",
      "2026-03-29T03:30:00+02:00",
    ]);
    expect(firstTexts(recurrence, "2026-01-01T00:00:00Z", 1)).toEqual([
      "2026-03-29T00:30:00+01:00",
    ]);
  });

  test("leave out whole days without walking through them", () => {
    const days = Array.from(
      { length: 28 },
      (_, day) => `2027-02-${String(day + 1).padStart(2, "0")}`,
    );
    const rule = every(1_000, "2027-02-01T00:00:00Z");
    const effort = new Effort(mostSteps);
    const recurrence = recurring(rule, "Europe/Berlin", except(...days));
    const [first] = occurrencesOf(recurrence, Date.parse("2027-01-31T23:00:00Z"), effort);
    expect(first?.time).toBe(Date.parse("2027-02-28T23:00:00Z"));
    expect(effort.steps).toBeLessThan(40);
  });
});

describe("bounds and exceptions", () => {
  test("startTime and endTime are inclusive", () => {
    const bounds = { startTime: Date.UTC(2026, 0, 2, 9), endTime: Date.UTC(2026, 0, 4, 9) };
    const recurrence = recurring(cronRule("0 9 * * *"), "UTC", bounds);
    expect(firstTexts(recurrence, "2026-01-01T00:00:00Z", 9)).toEqual([
      "2026-01-02T09:00:00+00:00",
      "2026-01-03T09:00:00+00:00",
      "2026-01-04T09:00:00+00:00",
    ]);
  });

  test("days and times are left out as the zone's clocks show them", () => {
    const exceptions = except("2026-12-25", "2026-12-26T18:00");
    const recurrence = recurring(cronRule("0 9,18 * * *"), "America/New_York", exceptions);
    expect(firstTexts(recurrence, "2026-12-25T00:00:00Z", 2)).toEqual([
      "2026-12-26T09:00:00-05:00",
      "2026-12-27T09:00:00-05:00",
    ]);
  });

  test("both passes of a repeated time are left out", () => {
    const recurrence = recurring(
      cronRule("30 * * * *"),
      "Europe/Berlin",
      except("2026-10-25T02:30"),
    );
    expect(firstTexts(recurrence, "2026-10-25T00:00:00Z", 1)).toEqual([
      "2026-10-25T03:30:00+01:00",
    ]);
  });

  test.each(["2026-03-28", "2026-03-29", "2026-03-28T23:30", "2026-03-29T00:00"])(
    "what a gap moves to the next day is left out by either day: %s",
    (text) => {
      const recurrence = recurring(cronRule("30 23 * * *"), "America/Nuuk", except(text));
      const [first] = firstTexts(recurrence, "2026-03-28T12:00:00Z", 1);
      expect(first).not.toContain("gap");
    },
  );

  test("a time that is left out stands for no other in its gap", () => {
    const rule = cronRule("10,20 2 * * *");
    const both = recurring(rule, "Europe/Berlin", except("2026-03-29T02:10", "2026-03-29T02:20"));
    expect(firstTexts(both, "2026-03-29T00:00:00Z", 1)).toEqual(["2026-03-30T02:10:00+02:00"]);
    const one = recurring(rule, "Europe/Berlin", except("2026-03-29T02:10"));
    expect(firstTexts(one, "2026-03-29T00:00:00Z", 1)).toEqual(["2026-03-29T03:00:00+02:00 gap"]);
  });
});

describe("what never comes, or hardly ever, is known after a bounded number of steps", () => {
  const from = Date.UTC(2026, 0, 1);

  test.each([
    ["0 0 30 2 *", 0],
    ["* * 31 4,6,9,11 *", 0],
    ["*/5 * 30 2 *", 0],
    ["0 0 31W 2 *", 0],
    ["0 0 29 2 +MON", 2],
    ["0 0 29 2 +MON#5", 2],
    ["0 0 29 2 *", 12],
    ["0 0 1 1 *", 50],
  ])("%s comes %i times in fifty years", (cron, count) => {
    const effort = new Effort(mostSteps);
    const recurrence = recurring(cronRule(cron), "Europe/Berlin");
    const found = [...occurrencesOf(recurrence, from, effort)];
    expect(found).toHaveLength(count);
    expect(effort.steps).toBeLessThan(1_000);
  });

  test("ten expressions, and as many exceptions as there may be, need no more than is allowed", () => {
    const days = Array.from({ length: 500 }, (_, day) =>
      new Date(from + day * 86_400_000).toISOString().slice(0, 10),
    );
    const crons = Array.from({ length: 10 }, (_, second) => `${second}-59 * * 1-31 * *`);
    const dense = new Effort(mostSteps);
    const [first] = occurrencesOf(
      recurring(cronRule(...crons), "Pacific/Apia", except(...days)),
      from + 86_400_000,
      dense,
    );
    expect(first?.wallTime).toBe(from + 500 * 86_400_000);
    expect(dense.steps).toBeLessThan(3_000);
    const never = Array.from({ length: 10 }, () => "* * 30 2 *");
    const none = new Effort(mostSteps);
    expect([...occurrencesOf(recurring(cronRule(...never), "Asia/Tehran"), from, none)]).toEqual(
      [],
    );
    expect(none.steps).toBeLessThan(8_000);
  });

  test("a search ends when its steps are used up", () => {
    const effort = new Effort(100);
    const all = [...occurrencesOf(recurring(cronRule("* * * * * *"), "UTC"), from, effort)];
    expect(all.length).toBeGreaterThan(10);
    expect(all.length).toBeLessThan(100);
    expect(effort.spend()).toBe(false);
  });
});
