import { expect, test } from "vitest";
import { clockTime, dateTime, duration, fromNow, isZone, zoneMark } from "./time-text.ts";

const at = "2026-07-18T22:30:05.042Z";

test("a time is shown in the chosen zone, which has a mark", () => {
  expect(dateTime(at, "UTC")).toBe("2026-07-18 22:30:05");
  expect(dateTime(at, "Asia/Kolkata", true)).toBe("2026-07-19 04:00:05.042");
  expect(clockTime(at, "America/New_York")).toBe("18:30");
  expect([zoneMark(at, "UTC"), zoneMark(at, "Asia/Kolkata")]).toEqual(["UTC", "GMT+5:30"]);
});

test("only zones that exist are zones", () => {
  expect(["UTC", "local", "Europe/Berlin", "Mars/Base", "", 7].map(isZone)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});

test("distances and durations are short", () => {
  const now = Date.parse(at);
  expect(fromNow(now + 185_000, now)).toBe("in 3 min.");
  expect(fromNow(now - 2 * 86_400_000, now)).toBe("2 days ago");
  expect([0, 850, 1_240, 60_000, 200_000, 7_500_000, 356_400_000].map(duration)).toEqual([
    "0 ms",
    "850 ms",
    "1.2 s",
    "1 min",
    "3 min 20 s",
    "2 h 5 min",
    "4 d 3 h",
  ]);
});
