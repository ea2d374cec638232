import { expect, test } from "vitest";
import { nextJudgeTime } from "./judge-time.ts";

test.each([
  [0, 5_000],
  [8_000, 5_000],
  [60_000, 15_000],
  [3_600_000, 600_000],
  [100 * 86_400_000, 600_000],
])("a message that was due %i ms ago is looked at again after %i ms", (ago, afterMs) => {
  const now = Date.UTC(2026, 10, 16);
  expect(nextJudgeTime(now - ago, now)).toBe(now + afterMs);
});

test("one that is to come later than its run said is looked at again soon", () => {
  expect(nextJudgeTime(90_000, 10_000)).toBe(15_000);
});
