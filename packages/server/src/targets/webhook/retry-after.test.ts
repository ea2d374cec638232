import { expect, test } from "vitest";
import { parseRetryAfter } from "./retry-after.ts";

const now = Date.UTC(1994, 10, 6, 8, 49, 0);

test.each([
  ["120", 120_000],
  ["0", 0],
  [" 5 ", 5_000],
  ["9".repeat(400), Number.MAX_SAFE_INTEGER],
  ["Sun, 06 Nov 1994 08:49:37 GMT", 37_000],
  ["Sunday, 06-Nov-94 08:49:37 GMT", 37_000],
  ["Sun Nov  6 08:49:37 1994", 37_000],
  ["Sun, 06 Nov 1994 08:48:00 GMT", 0],
  ["-1", null],
  ["1.5", null],
  ["1e3", null],
  ["soon", null],
  ["", null],
  ["2026-11-14T09:30:00Z", null],
  ["Sun, 99 Nov 1994 08:49:37 GMT", null],
])("%j asks for %s ms", (text, expected) => expect(parseRetryAfter(text, now)).toBe(expected));

test("no header gives no delay, and the first of several counts", () => {
  expect(parseRetryAfter(undefined, now)).toBeNull();
  expect(parseRetryAfter(["1", "2"], now)).toBe(1_000);
});
