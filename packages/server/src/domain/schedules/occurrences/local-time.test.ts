import { expect, test } from "vitest";
import { parseException, parseLocalTime } from "./local-time.ts";

test("a date and time is read with or without seconds", () => {
  const wallTime = Date.UTC(2026, 10, 14, 9, 30);
  expect(parseLocalTime("2026-11-14T09:30")).toEqual({ ok: true, wallTime });
  expect(parseLocalTime("2026-11-14t09:30:00.25")).toEqual({ ok: true, wallTime: wallTime + 250 });
  expect(parseException("2026-11-14T09:30:00")).toEqual({ ok: true, wallTime });
  expect(parseException("1970-01-02")).toEqual({ ok: true, day: 1 });
});

test.each([
  ["2026-11-14T09:30:00Z", "so it has no offset"],
  ["2026-11-14T09:30+01:00", "so it has no offset"],
  ["2026-11-14", "a date alone has no time of day"],
  ["2026-02-30T09:30", "there is no day 30"],
  ["2026-11-14T24:00", "the hour must be 00 to 23"],
  ["tomorrow", "write it as 2026-11-14T09:30"],
])("%s is refused", (text, reason) => {
  expect(parseLocalTime(text)).toEqual({
    ok: false,
    reason: expect.stringContaining(reason) as unknown,
  });
});

test.each([
  ["2026-02-30", "there is no day 30"],
  ["christmas", "or a date such as 2026-12-24"],
  ["2026-11-14T09:30Z", "so it has no offset"],
])("%s is no exception", (text, reason) => {
  expect(parseException(text)).toEqual({
    ok: false,
    reason: expect.stringContaining(reason) as unknown,
  });
});
