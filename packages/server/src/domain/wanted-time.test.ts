import { expect, test } from "vitest";
import { instantOf } from "./wanted-time.ts";

test("a delay counts from now, and an instant does not", () => {
  expect(instantOf({ delayMs: 5 }, 1_000)).toBe(1_005);
  expect(instantOf({ delayMs: 0 }, 1_000)).toBe(1_000);
  expect(instantOf(7, 1_000)).toBe(7);
  expect(instantOf(null, 1_000)).toBeNull();
});
