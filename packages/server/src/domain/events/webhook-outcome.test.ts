import { expect, test } from "vitest";
import type { AttemptReport } from "../attempt.ts";
import { batchOutcome } from "./webhook-outcome.ts";

const failed: AttemptReport = {
  outcome: "BAD_STATUS",
  statusCode: 500,
  error: "the target answered 500",
  response: null,
  retryAfterMs: null,
};
const place = { position: 9, mark: "mark" };
const delayAfter = (failures: number, change: Partial<AttemptReport> = {}, random = 0) => {
  const outcome = batchOutcome({ ...failed, ...change }, { batchEnd: 7, place, failures }, random);
  if (outcome.kind !== "failed") throw new Error(outcome.kind);
  return outcome.delayMs;
};

test("a success reaches behind the events that are not for the endpoint", () => {
  const report = { ...failed, outcome: "DELIVERED", statusCode: 204, error: null } as const;
  expect(batchOutcome(report, { batchEnd: 7, place, failures: 2 }, 0)).toEqual({
    kind: "delivered",
    ...place,
    sent: true,
  });
});

test("delays grow up to five minutes, and differ by a fifth", () => {
  const highest = (failures: number) => delayAfter(failures, {}, 1);
  expect([0, 1, 2, 8, 9, 1_000].map(highest)).toEqual([
    1_000, 2_000, 4_000, 256_000, 300_000, 300_000,
  ]);
  expect(delayAfter(0)).toBe(800);
  expect(delayAfter(1_000_000)).toBe(240_000);
});

test("Retry-After counts where it is longer, up to a quarter of an hour", () => {
  expect(delayAfter(0, { statusCode: 429, retryAfterMs: 60_000 })).toBe(60_000);
  expect(delayAfter(0, { statusCode: 429, retryAfterMs: 0 })).toBe(800);
  expect(delayAfter(0, { statusCode: 503, retryAfterMs: 1e12 })).toBe(900_000);
});

test("410 means that the receiver is gone, and every other failure is tried again", () => {
  const requested = { batchEnd: 7, place, failures: 0 };
  expect(batchOutcome({ ...failed, statusCode: 410 }, requested, 0)).toEqual({
    kind: "gone",
    batchEnd: 7,
    statusCode: 410,
  });
  const refused = { ...failed, outcome: "ADDRESS_REFUSED", statusCode: null } as const;
  expect(batchOutcome(refused, requested, 0)).toEqual({
    kind: "failed",
    batchEnd: 7,
    error: "the target answered 500",
    delayMs: 800,
  });
});
