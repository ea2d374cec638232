import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { earliestTime, formatTime, latestTime, parseTime } from "./times.ts";

const instants = fc.integer({ min: earliestTime, max: latestTime });

function timeOf(text: string): number {
  const parsed = parseTime(text);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.reason}`);
  return parsed.time;
}

function reasonOf(text: string): string {
  const parsed = parseTime(text);
  if (parsed.ok) throw new Error(`${text} was accepted`);
  return parsed.reason;
}

describe("what is accepted", () => {
  test("every instant reads back as it was written", () => {
    fc.assert(fc.property(instants, (time) => timeOf(formatTime(time)) === time));
  });

  test("an instant is written as Date writes it, in every year and on every day of a leap year", () => {
    fc.assert(
      fc.property(instants, (time) => formatTime(time) === new Date(time).toISOString()),
      { numRuns: 2_000 },
    );
    for (const year of [1, 4, 1900, 1970, 1999, 2000, 2024, 2026, 2100, 9999]) {
      const start = timeOf(`${String(year).padStart(4, "0")}-01-01T00:00:00Z`);
      for (let day = 0; day < 366; day++) {
        const time = Math.min(start + day * 86_400_000 + (day % 2) * 86_399_999, latestTime);
        expect(formatTime(time)).toBe(new Date(time).toISOString());
      }
    }
  });

  test("an offset changes the wall time, not the instant", () => {
    const offsets = fc.integer({ min: -(23 * 60 + 59), max: 23 * 60 + 59 });
    const inner = fc.integer({ min: earliestTime + 86_400_000, max: latestTime - 86_400_000 });
    fc.assert(
      fc.property(inner, offsets, (time, minutes) => {
        const wall = formatTime(time + minutes * 60_000).slice(0, -1);
        const size = Math.abs(minutes);
        const hh = String(Math.floor(size / 60)).padStart(2, "0");
        const mm = String(size % 60).padStart(2, "0");
        expect(timeOf(`${wall}${minutes < 0 ? "-" : "+"}${hh}:${mm}`)).toBe(time);
      }),
    );
  });

  test("fractions of any length are cut off after the milliseconds", () => {
    const digits = fc.stringMatching(/^[0-9]{1,30}$/);
    fc.assert(
      fc.property(digits, (fraction) => {
        const whole = timeOf("2026-11-14T09:30:00Z");
        const expected = whole + Number(fraction.padEnd(3, "0").slice(0, 3));
        expect(timeOf(`2026-11-14T09:30:00.${fraction}Z`)).toBe(expected);
      }),
    );
  });

  test.each([
    ["2026-11-14T09:30:00Z", "2026-11-14T09:30:00.000Z"],
    ["2026-11-14t09:30:00z", "2026-11-14T09:30:00.000Z"],
    ["2026-11-14T09:30:00-00:00", "2026-11-14T09:30:00.000Z"],
    ["2024-02-29T23:59:59.999Z", "2024-02-29T23:59:59.999Z"],
    ["2000-02-29T00:00:00Z", "2000-02-29T00:00:00.000Z"],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"],
    ["0099-12-31T00:00:00Z", "0099-12-31T00:00:00.000Z"],
    ["9999-12-31T23:59:59.9999Z", "9999-12-31T23:59:59.999Z"],
    ["1969-12-31T23:59:59.9999Z", "1969-12-31T23:59:59.999Z"],
  ])("%s", (text, canonical) => {
    expect(formatTime(timeOf(text))).toBe(canonical);
  });
});

describe("what is refused, and why", () => {
  test.each([
    ["2026-11-14T09:30:00", "no offset"],
    ["2026-11-14T09:30:00.5", "no offset"],
    ["2026-11-14", "a date alone"],
    ["2026-11-14 09:30:00Z", "there must be a T"],
    ["2026-02-30T00:00:00Z", "no day 30 in month 2"],
    ["2026-02-29T00:00:00Z", "no day 29 in month 2"],
    ["1900-02-29T00:00:00Z", "no day 29 in month 2"],
    ["2026-04-31T00:00:00Z", "no day 31 in month 4"],
    ["2026-11-00T00:00:00Z", "no day 0"],
    ["2026-13-01T00:00:00Z", "no month 13"],
    ["2026-00-01T00:00:00Z", "no month 0"],
    ["2026-11-14T24:00:00Z", "hour"],
    ["2026-11-14T09:60:00Z", "minute"],
    ["2016-12-31T23:59:60Z", "second"],
    ["0000-01-01T00:00:00Z", "year"],
    ["0001-01-01T00:00:00+00:01", "outside the years"],
    ["9999-12-31T23:59:59-00:01", "outside the years"],
    ["2026-11-14T09:30:00+24:00", "offset must be within"],
    ["2026-11-14T09:30:00+01:60", "offset must be within"],
    ["2026-11-14T09:30:00+0100", "form +hh:mm"],
    ["2026-11-14T09:30:00+01", "form +hh:mm"],
    ["2026-11-14T09:30:00+01:00x", "form +hh:mm"],
    ["2026-11-14T09:30:00.Z", "digit must follow"],
    ["2026-11-14T09:30:00,5Z", "RFC 3339"],
    ["2026-11-14T09:30:00ZZ", "RFC 3339"],
    ["2026-11-14T09:30:00Z ", "RFC 3339"],
    [" 2026-11-14T09:30:00Z", "RFC 3339"],
    ["2026-11-14T09:30Z", "RFC 3339"],
    ["+002026-11-14T09:30:00Z", "RFC 3339"],
    ["20261114T093000Z", "RFC 3339"],
    ["1763112600000", "RFC 3339"],
    ["tomorrow", "RFC 3339"],
    ["", "RFC 3339"],
    ["２026-11-14T09:30:00Z", "RFC 3339"],
  ])("%s", (text, reason) => {
    expect(reasonOf(text)).toContain(reason);
  });

  test("no text makes it throw, and every accepted text has the required form", () => {
    const shape = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;
    const nearly = fc
      .tuple(instants, fc.nat(30), fc.string({ maxLength: 2 }))
      .map(([time, at, noise]) => {
        const text = formatTime(time);
        return text.slice(0, at) + noise + text.slice(at + 1);
      });
    fc.assert(
      fc.property(fc.oneof(nearly, fc.string()), (text) => {
        if (parseTime(text).ok) expect(text).toMatch(shape);
      }),
      { numRuns: 2_000 },
    );
  });
});
