import { expect, test } from "vitest";
import { retryWaits } from "./retry-waits.ts";

const rest = { finalStatuses: [], maxRetryAfterMs: 0 };

test("delays grow up to their bound, or come from the list", () => {
  const growing = {
    kind: "exponential",
    initialMs: 100,
    factor: 3,
    maxMs: 1_000,
    jitter: 0,
  } as const;
  expect(retryWaits({ ...rest, maxAttempts: 5, backoff: growing })).toEqual([100, 300, 900, 1_000]);
  const list = { kind: "list", delaysMs: [5, 10], jitter: 0 } as const;
  expect(retryWaits({ ...rest, maxAttempts: 4, backoff: { ...list, delaysMs: [5, 10] } })).toEqual([
    5, 10, 10,
  ]);
  expect(retryWaits({ ...rest, maxAttempts: 1, backoff: growing })).toEqual([]);
});
