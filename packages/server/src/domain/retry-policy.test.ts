import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AttemptReport, FailureClasses } from "./attempt.ts";
import { backoffDelayMs, decideNextStep, defaultRetryPolicy } from "./retry-policy.ts";
import type { RetryPolicy } from "./retry-policy.ts";

const report = (change: Partial<AttemptReport>): AttemptReport => ({
  outcome: "TIMEOUT",
  statusCode: null,
  error: null,
  response: null,
  retryAfterMs: null,
  ...change,
});
const policy: RetryPolicy = {
  maxAttempts: 3,
  backoff: { kind: "list", delaysMs: [100, 200], jitter: 0 },
  finalStatuses: [400],
  maxRetryAfterMs: 5_000,
};
const failures: FailureClasses = {
  BAD_STATUS: { finalStatuses: [410] },
  TIMEOUT: "retryable",
  ADDRESS_REFUSED: "permanent",
};
const decide = (change: Partial<AttemptReport>, attemptsThisRound = 1) =>
  decideNextStep({ report: report(change), failures, policy, attemptsThisRound, random: 0.5 });

describe("the next step after an attempt", () => {
  test("a success is final, with any budget", () => {
    expect(decide({ outcome: "DELIVERED", statusCode: 200 }, 99)).toEqual({ kind: "delivered" });
  });

  test("failures are retried until the budget is spent", () => {
    expect(decide({}, 1)).toEqual({ kind: "retry", delayMs: 100 });
    expect(decide({}, 2)).toEqual({ kind: "retry", delayMs: 200 });
    expect(decide({}, 3)).toEqual({ kind: "dead-letter", reason: "ATTEMPTS_EXHAUSTED" });
  });

  test("410, the policy's final statuses and refused addresses are final at once", () => {
    expect(decide({ outcome: "BAD_STATUS", statusCode: 410 })).toEqual({
      kind: "dead-letter",
      reason: "FINAL_ANSWER",
    });
    expect(decide({ outcome: "BAD_STATUS", statusCode: 400 })).toEqual({
      kind: "dead-letter",
      reason: "FINAL_ANSWER",
    });
    expect(decide({ outcome: "ADDRESS_REFUSED" })).toEqual({
      kind: "dead-letter",
      reason: "ADDRESS_REFUSED",
    });
    expect(decide({ outcome: "BAD_STATUS", statusCode: 500 })).toMatchObject({ kind: "retry" });
  });

  test("a failure that the kind does not classify is retried", () => {
    expect(decide({ outcome: "CONNECTION_FAILED" })).toEqual({ kind: "retry", delayMs: 100 });
  });

  test("Retry-After lengthens the delay, never shortens it, within the policy's bound", () => {
    const after = (retryAfterMs: number) =>
      decide({ outcome: "BAD_STATUS", statusCode: 503, retryAfterMs });
    expect(after(1)).toEqual({ kind: "retry", delayMs: 100 });
    expect(after(3_000)).toEqual({ kind: "retry", delayMs: 3_000 });
    expect(after(9_000_000)).toEqual({ kind: "retry", delayMs: 5_000 });
  });

  test("an attempt that our own stop interrupted is made again, with any budget", () => {
    expect(decide({ outcome: "INTERRUPTED" }, 99)).toEqual({ kind: "retry", delayMs: 0 });
  });
});

describe("backoff", () => {
  test("the last delay of a list repeats", () => {
    const { backoff } = policy;
    expect([1, 2, 3, 9].map((failures) => backoffDelayMs(backoff, failures, 0))).toEqual([
      100, 200, 200, 200,
    ]);
  });

  test("exponential backoff grows to its bound and not beyond", () => {
    const backoff = {
      kind: "exponential",
      initialMs: 10,
      factor: 3,
      maxMs: 100,
      jitter: 0,
    } as const;
    expect([1, 2, 3, 4, 5_000].map((failures) => backoffDelayMs(backoff, failures, 0))).toEqual([
      10, 30, 90, 100, 100,
    ]);
  });

  test("jitter is the share of the delay that is random", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.nat(1_000_000),
        (jitter, random, plainMs) => {
          const backoff = { kind: "list", delaysMs: [plainMs], jitter } as const;
          const delayMs = backoffDelayMs(backoff, 1, random);
          expect(delayMs).toBeGreaterThanOrEqual(Math.floor(plainMs * (1 - jitter)));
          expect(delayMs).toBeLessThanOrEqual(plainMs);
          expect(Number.isInteger(delayMs)).toBe(true);
        },
      ),
    );
    const all = { kind: "list", delaysMs: [1_000], jitter: 1 } as const;
    expect(backoffDelayMs(all, 1, 0)).toBe(0);
    expect(backoffDelayMs(all, 1, 0.5)).toBe(500);
  });

  test("the default policy has a delay for every attempt except the last", () => {
    const { backoff, maxAttempts } = defaultRetryPolicy;
    expect(backoff.kind === "list" && backoff.delaysMs.length).toBe(maxAttempts - 1);
  });
});
