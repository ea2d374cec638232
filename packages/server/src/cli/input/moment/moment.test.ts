import { describe, expect, test } from "vitest";
import { InvalidValue } from "../../../config/invalid-value.ts";
import { formatTime } from "../../../domain/times.ts";
import { momentText } from "./moment-text.ts";
import { parseMoment, type Direction, type Moment } from "./moment.ts";
import { findZone } from "../../../domain/time-zones/time-zone.ts";

const now = Date.UTC(2026, 10, 14, 9, 30); // a Saturday

interface Given {
  readonly zone?: string;
  readonly direction?: Direction;
  readonly at?: number;
}

function read(text: string, { zone = "Europe/Berlin", direction = "ahead", at = now }: Given = {}) {
  return parseMoment(text, { now: at, direction, zone: () => findZone(zone)! });
}

test.each([
  ["tomorrow 9:00", "2026-11-15T08:00:00.000Z"],
  ["Tomorrow  at 09:00", "2026-11-15T08:00:00.000Z"],
  ["tomorrow 9am", "2026-11-15T08:00:00.000Z"],
  ["today 12:00", "2026-11-14T11:00:00.000Z"],
  ["today 9:00", "2026-11-14T08:00:00.000Z"],
  ["yesterday 23:59:59.5", "2026-11-13T22:59:59.500Z"],
  ["friday 17:30", "2026-11-20T16:30:00.000Z"],
  ["FRI 5:30 pm", "2026-11-20T16:30:00.000Z"],
  ["saturday 10:31", "2026-11-14T09:31:00.000Z"],
  ["saturday 10:30", "2026-11-21T09:30:00.000Z"],
  ["10:31", "2026-11-14T09:31:00.000Z"],
  ["10:29", "2026-11-15T09:29:00.000Z"],
  ["12am", "2026-11-14T23:00:00.000Z"],
  ["12pm", "2026-11-14T11:00:00.000Z"],
  ["2026-11-20 9:00", "2026-11-20T08:00:00.000Z"],
  ["2026-11-20T09:00:00.125", "2026-11-20T08:00:00.125Z"],
  ["2026-07-01 9:00", "2026-07-01T07:00:00.000Z"],
  ["now", "2026-11-14T09:30:00.000Z"],
  ["90s", "2026-11-14T09:31:30.000Z"],
  ["+1d", "2026-11-15T09:30:00.000Z"],
  ["tomorrow at 9", "2026-11-15T08:00:00.000Z"],
  ["tomorrow 9", "2026-11-15T08:00:00.000Z"],
  ["tomorrow noon", "2026-11-15T11:00:00.000Z"],
  ["tomorrow at noon", "2026-11-15T11:00:00.000Z"],
  ["noon tomorrow", "2026-11-15T11:00:00.000Z"],
  ["9am tomorrow", "2026-11-15T08:00:00.000Z"],
  ["at 9:00 on monday", "2026-11-16T08:00:00.000Z"],
  ["on monday at 17", "2026-11-16T16:00:00.000Z"],
  ["monday 9:00", "2026-11-16T08:00:00.000Z"],
  ["2026-11-20 17", "2026-11-20T16:00:00.000Z"],
  ["noon", "2026-11-14T11:00:00.000Z"],
  ["midnight", "2026-11-14T23:00:00.000Z"],
  ["at 17:30", "2026-11-14T16:30:00.000Z"],
  ["in 2 hours", "2026-11-14T11:30:00.000Z"],
  ["2 hours", "2026-11-14T11:30:00.000Z"],
  ["+2 hours", "2026-11-14T11:30:00.000Z"],
  ["2 hours ago", "2026-11-14T07:30:00.000Z"],
  ["in an hour", "2026-11-14T10:30:00.000Z"],
  ["in 1 hour and 30 min", "2026-11-14T11:00:00.000Z"],
  ["1.5h", "2026-11-14T11:00:00.000Z"],
])("%s in Berlin is %s", (text, time) => {
  expect(read(text)).toMatchObject({ text: time, isWrittenOut: false, choice: null });
});

test.each([
  ["friday 17:30", "2026-11-13T16:30:00.000Z"],
  ["saturday 10:30", "2026-11-14T09:30:00.000Z"],
  ["saturday 10:31", "2026-11-07T09:31:00.000Z"],
  ["10:31", "2026-11-13T09:31:00.000Z"],
  ["tomorrow 9:00", "2026-11-15T08:00:00.000Z"],
  ["2h", "2026-11-14T07:30:00.000Z"],
])("looking back, %s is %s", (text, time) => {
  expect(read(text, { direction: "back" }).text).toBe(time);
});

test("a day is that of the zone, not of UTC", () => {
  const tomorrow = (zone: string): string => read("tomorrow 0:00", { zone }).text;
  expect(tomorrow("Pacific/Kiritimati")).toBe("2026-11-14T10:00:00.000Z");
  expect(tomorrow("Pacific/Midway")).toBe("2026-11-14T11:00:00.000Z");
});

test("a full time is passed on as it was written", () => {
  const zone = (): never => expect.fail("it needs no zone");
  const text = "2027-01-01T09:00:00.5+05:30";
  expect(parseMoment(` ${text} `, { now, direction: "ahead", zone })).toMatchObject({
    text,
    isWrittenOut: true,
  });
  expect(parseMoment("1h", { now, direction: "ahead", zone }).time).toBe(now + 3_600_000);
});

test.each([
  "soon",
  "tomorrow",
  "2026-11-20",
  "next friday 9:00",
  "someday 9:00",
  "9",
  "at 9",
  "0",
  "9 friday",
  "tomorrow 24",
  "tomorrow midnight",
  "tomorrow evening",
  "in noon",
  "an",
  "a fortnight",
  "2 months",
  "1.2.3h",
  "in 2 hours ago",
  "25:00",
  "9:60",
  "13pm",
  "0am",
  "2026-02-30 9:00",
  "2026-02-30T09:00:00Z",
  "2026-11-20T9:00Z",
  "+-1h",
  "in 1h ago",
  "",
  "9999-12-31 23:59:59 9:00",
])("%j is refused", (text) => {
  expect(() => read(text)).toThrow(InvalidValue);
});

test("an error says what is wrong and shows how times are written", () => {
  expect(() => read("2026-11-31 9:00")).toThrow(/there is no day 31 in month 11/);
  expect(() => read("2027-01-01T09:00:00+0100")).toThrow(/form \+hh:mm/);
  expect(() => read("2027-01-01 09:00:00Z")).toThrow(/there must be a T between date and time/);
  expect(() => read("Friday")).toThrow(
    'has no time of day: "Friday"; write it like "friday 9:00" or "friday noon"',
  );
  expect(() => read("9")).toThrow(/is only a number: "9"; write a time like 9:00 .* 9h/);
  expect(() => read("tomorrow midnight")).toThrow(/write "tomorrow 0:00" or "tomorrow 23:59"/);
  expect(() => read("next friday 9:00")).toThrow(
    'is not clear: "next friday 9:00"; write "friday 9:00" for the first one from now, or a date like "2027-01-01 9:00"',
  );
  expect(() => read("13pm")).toThrow(/write it like 9am or 21:00/);
  expect(() => read("someday")).toThrow(/is not a time: .*"tomorrow 9:00", "friday noon"/);
  expect(() => read("9999-12-31 23:00", { zone: "America/New_York" })).toThrow(/beyond the year/);
});

describe("where clocks change", () => {
  test("a skipped time is the end of the gap, and the answer says so", () => {
    const moment = read("2026-03-29 2:30");
    expect(moment.text).toBe("2026-03-29T01:00:00.000Z");
    expect(moment.choice).toBe(
      "In Europe/Berlin there is no 2026-03-29 02:30:00: clocks go from 02:00 to 03:00. Taken as 03:00.",
    );
  });

  test("a repeated time is the first one, and the answer gives both", () => {
    const moment = read("2026-10-25 2:30");
    expect(moment.text).toBe("2026-10-25T00:30:00.000Z");
    expect(moment.choice).toBe(
      "In Europe/Berlin 2026-10-25 02:30:00 comes twice, because clocks go back. Taken as the first, " +
        "2026-10-25T02:30:00+02:00. The second is 2026-10-25T02:30:00+01:00.",
    );
  });

  test.each([
    ["Pacific/Apia", "2011-12-30 12:00", "2011-12-30T10:00:00.000Z", /no 2011-12-30 12:00/],
    ["Australia/Lord_Howe", "2026-10-04 2:15", "2026-10-03T15:30:00.000Z", /02:00 to 02:30/],
    ["America/Nuuk", "2026-03-28 23:30", "2026-03-29T01:00:00.000Z", /23:00 to 00:00/],
  ])("in %s too: %s", (zone, text, time, choice) => {
    const moment: Moment = read(text, { zone });
    expect(moment.text).toBe(time);
    expect(moment.choice).toMatch(choice);
  });
});

test("a moment is shown on the clocks of its zone", () => {
  const shown = (time: number, zone: string): string =>
    momentText({ time, fromNowMs: null }, now, findZone(zone)!);
  expect(shown(now + 3_600_000, "Europe/Berlin")).toBe(
    "2026-11-14T11:30:00+01:00 (Europe/Berlin, in 1 h)",
  );
  expect(shown(now + 5, "America/St_Johns")).toBe(
    "2026-11-14T06:00:00.005-03:30 (America/St_Johns, now)",
  );
  const longAgo = Date.UTC(1850, 0, 1);
  expect(shown(longAgo, "Europe/Berlin")).toContain(formatTime(longAgo).slice(0, 19));
});
