import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatDuration, parseDuration } from "./durations.ts";

describe("parseDuration", () => {
  test.each([
    ["250ms", 250],
    ["5s", 5_000],
    ["1h30m", 5_400_000],
    ["1.5h", 5_400_000],
    ["14d", 1_209_600_000],
    ["2w", 1_209_600_000],
    ["1m30s500ms", 90_500],
    [" 5s ", 5_000],
    ["0", 0],
    ["0s", 0],
  ])("reads %s", (text, durationMs) => {
    expect(parseDuration(text)).toBe(durationMs);
  });

  test.each([
    ["", "is empty"],
    ["5", 'has no unit: "5"'],
    ["s", "is not a duration"],
    ["-5s", "is not a duration"],
    ["5 s", "is not a duration"],
    ["5y", "is not a duration"],
    ["5sx", "is not a duration"],
    ["1e3s", "is not a duration"],
    ["30m1h", "out of order"],
    ["5s5s", "twice"],
    ["9999999999999999w", "is too long"],
  ])("refuses %j and says why", (text, reason) => {
    expect(() => parseDuration(text)).toThrow(reason);
  });

  test("reads back every duration that it writes", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 45 }), (durationMs) => {
        expect(parseDuration(formatDuration(durationMs))).toBe(durationMs);
      }),
    );
  });
});

test("durations are written the way people set them", () => {
  expect([0, 1_000, 1_209_600_000, 5_400_000, 86_400_000].map(formatDuration)).toEqual([
    "0s",
    "1s",
    "14d",
    "1h30m",
    "1d",
  ]);
});
