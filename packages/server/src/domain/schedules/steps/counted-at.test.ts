import { expect, test } from "vitest";
import { countedAt } from "./counted-at.ts";

const midnight = Date.UTC(2026, 11);

test("a run that is made ahead counts at its time", () => {
  expect(countedAt({ runTime: midnight, trigger: "TIME" }, midnight - 5_000)).toBe(midnight);
});

test.each(["TIME", "CATCH_UP"] as const)(
  "a run that is late counts when it is made: %s",
  (trigger) => {
    expect(countedAt({ runTime: midnight - 1, trigger }, midnight)).toBe(midnight);
  },
);

test.each(["MANUAL", "BACKFILL"] as const)("%s: counts when it is made", (trigger) => {
  expect(countedAt({ runTime: midnight, trigger }, midnight - 1)).toBe(midnight - 1);
});
