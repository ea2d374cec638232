import { expect, test } from "vitest";
import { readNewTime } from "./new-time.ts";

test("a span or a time with its offset", () => {
  expect(readNewTime(" 2h ")).toEqual({ in: 7_200_000 });
  expect(readNewTime("2026-11-18T09:30:00+01:00")).toEqual({ at: "2026-11-18T09:30:00+01:00" });
});

test.each(["", "soon", "2w", "2026-11-18", "2026-11-18T09:30:00", "2026-99-18T09:30:00Z"])(
  "%j is neither",
  (text) => {
    expect(readNewTime(text)).toBeUndefined();
  },
);
