import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TrackedMessage } from "./message.ts";
import type { NextStep } from "./retry-policy.ts";
import {
  applyWaitingChanges,
  attempted,
  cancelled,
  decideChange,
  rescheduled,
  scheduled,
  settleAttempt,
} from "./transitions.ts";
import type { RequestedChange } from "./transitions.ts";

const retentionMs = 1_000;
const instant = fc.integer({ min: -1_000, max: 1_000_000 });

type Step =
  | { readonly kind: "cancel" }
  | { readonly kind: "reschedule"; readonly deliveryTime: number }
  | { readonly kind: "delivered" | "dead-letter" }
  | { readonly kind: "retry"; readonly delayMs: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("cancel" as const) }),
  fc.record({ kind: fc.constant("reschedule" as const), deliveryTime: instant }),
  fc.record({ kind: fc.constantFrom("delivered" as const, "dead-letter" as const) }),
  fc.record({ kind: fc.constant("retry" as const), delayMs: fc.nat(10_000) }),
);

function nextOf(each: Exclude<Step, { readonly kind: "cancel" | "reschedule" }>): NextStep {
  return each.kind === "dead-letter" ? { kind: each.kind, reason: "REJECTED" } : (each as NextStep);
}

function take(message: TrackedMessage, each: Step, now: number): TrackedMessage | undefined {
  if (each.kind === "cancel") return cancelled(message, now, retentionMs);
  if (each.kind === "reschedule") {
    const moved = rescheduled(message, each.deliveryTime, now);
    return moved === "too-late" ? undefined : moved;
  }
  return attempted(message, { startTime: now - 1, next: nextOf(each) }, now, retentionMs);
}

/** What is true of a message in each state, after any events. */
function expectSound(message: TrackedMessage): void {
  const { state } = message;
  expect(message.nextDeliveryTime !== null).toBe(state === "SCHEDULED");
  expect(message.deadLetterTime !== null).toBe(state === "DEAD_LETTER");
  expect(message.cancellationTime !== null).toBe(state === "CANCELLED");
  expect(message.expirationTime !== null).toBe(state !== "SCHEDULED");
  expect(message.lastDeliveryTime !== null).toBe(message.attemptCount > 0);
  expect(message.attemptsThisRound).toBeLessThanOrEqual(message.attemptCount);
  const successes = state === "DELIVERED" ? 1 : 0;
  expect(message.deliveryFailureCount).toBe(message.attemptCount - successes);
}

describe("any sequence of events", () => {
  test("keeps a message valid, and moves it only as the contract's table allows", () => {
    const allowed: Record<string, readonly string[]> = {
      cancel: ["SCHEDULED"],
      reschedule: ["SCHEDULED", "DEAD_LETTER", "CANCELLED"],
      delivered: ["SCHEDULED"],
      "dead-letter": ["SCHEDULED"],
      retry: ["SCHEDULED"],
    };
    const leadsTo: Record<string, string> = {
      cancel: "CANCELLED",
      reschedule: "SCHEDULED",
      delivered: "DELIVERED",
      "dead-letter": "DEAD_LETTER",
      retry: "SCHEDULED",
    };
    fc.assert(
      fc.property(instant, instant, fc.array(step, { maxLength: 30 }), (asked, start, steps) => {
        let message = scheduled(
          { messageId: "m", targetId: "t", deliveryTime: asked, options: null },
          start,
        );
        expectSound(message);
        for (const [index, each] of steps.entries()) {
          const now = start + index;
          const next = take(message, each, now);
          expect(next !== undefined).toBe(allowed[each.kind]!.includes(message.state));
          if (next === undefined) continue;
          expect(next.state).toBe(leadsTo[each.kind]);
          expect(next.version).toBe(message.version + 1);
          expect(next.originalDeliveryTime).toBe(asked);
          expect(next.schedulingTime).toBe(start);
          expect(next.deliveryFailureCount).toBeGreaterThanOrEqual(message.deliveryFailureCount);
          expectSound(next);
          message = next;
        }
      }),
    );
  });
});

describe("each transition sets what the contract says", () => {
  const fresh = scheduled({ messageId: "m", targetId: "t", deliveryTime: 500, options: null }, 100);

  test("schedule", () => {
    expect(fresh).toMatchObject({
      state: "SCHEDULED",
      schedulingTime: 100,
      originalDeliveryTime: 500,
      nextDeliveryTime: 500,
      deliveryFailureCount: 0,
    });
  });

  test("cancel", () => {
    expect(cancelled(fresh, 200, retentionMs)).toMatchObject({
      state: "CANCELLED",
      cancellationTime: 200,
      expirationTime: 1_200,
      nextDeliveryTime: null,
    });
  });

  test("delivered", () => {
    const end = { startTime: 510, next: { kind: "delivered" } } as const;
    expect(attempted(fresh, end, 520, retentionMs)).toMatchObject({
      state: "DELIVERED",
      lastDeliveryTime: 510,
      expirationTime: 1_520,
      deliveryFailureCount: 0,
    });
  });

  test("retry counts the failure and uses the budget; reschedule restores the budget", () => {
    const end = { startTime: 510, next: { kind: "retry", delayMs: 30 } } as const;
    const failed = attempted(fresh, end, 520, retentionMs)!;
    expect(failed).toMatchObject({
      state: "SCHEDULED",
      nextDeliveryTime: 550,
      lastDeliveryTime: 510,
      deliveryFailureCount: 1,
      attemptsThisRound: 1,
    });
    expect(rescheduled(failed, 900, 600)).toMatchObject({
      planningTime: 600,
      nextDeliveryTime: 900,
      deliveryFailureCount: 1,
      attemptCount: 1,
      attemptsThisRound: 0,
    });
  });

  test("dead letter", () => {
    const end = {
      startTime: 510,
      next: { kind: "dead-letter", reason: "ATTEMPTS_EXHAUSTED" },
    } as const;
    expect(attempted(fresh, end, 520, retentionMs)).toMatchObject({
      state: "DEAD_LETTER",
      deadLetterTime: 520,
      expirationTime: 1_520,
      deliveryFailureCount: 1,
    });
  });
});

describe("changes that waited for the end of a claim", () => {
  const claimed = scheduled(
    { messageId: "m", targetId: "t", deliveryTime: 500, options: null },
    100,
  );
  const cancel: RequestedChange = { deliveryTime: null };
  const reschedule: RequestedChange = { deliveryTime: 900 };
  const settle = (kind: "delivered" | "dead-letter", ...waiting: readonly RequestedChange[]) =>
    settleAttempt(claimed, { startTime: 510, next: nextOf({ kind }) }, waiting, 520, retentionMs)!;
  const kinds = ({ answers }: ReturnType<typeof settle>) =>
    answers.map(({ decision }) => decision.kind);

  test("are refused after a delivery", () => {
    const settled = settle("delivered", cancel, reschedule);
    expect(settled.message).toEqual(settle("delivered").message);
    expect(settled.message.state).toBe("DELIVERED");
    expect(kinds(settled)).toEqual(["refused", "refused"]);
  });

  test("replace the next step after a failure, and the failure counts", () => {
    expect(settle("dead-letter").message.state).toBe("DEAD_LETTER");
    const settled = settle("dead-letter", cancel);
    expect(settled.message).toMatchObject({
      state: "CANCELLED",
      deadLetterTime: null,
      deliveryFailureCount: 1,
      attemptCount: 1,
      lastDeliveryTime: 510,
    });
    expect(settled.answers[0]!.decision).toEqual({ kind: "changed", message: settled.message });
  });

  test("leave their callers a moment before the next attempt, if a failure refuses all of them", () => {
    const late: RequestedChange = { deliveryTime: 0, bound: { notAfter: 0 } };
    const retried = (notAfter?: number, ...waiting: readonly RequestedChange[]) => {
      const options = notAfter === undefined ? null : { notAfter };
      const end = { startTime: 510, next: { kind: "retry", delayMs: 5 } } as const;
      return settleAttempt({ ...claimed, options }, end, waiting, 520, retentionMs)!.message;
    };
    expect(retried().nextDeliveryTime).toBe(525);
    expect(retried(undefined, late).nextDeliveryTime).toBe(1_520);
    expect(retried(2_000, late).nextDeliveryTime).toBe(1_520);
    expect(retried(1_500, late).nextDeliveryTime).toBe(525);
    expect(settle("dead-letter", late).message).toEqual(settle("dead-letter").message);
    expect(settle("delivered", late).message).toEqual(settle("delivered").message);
  });

  test("apply one after the other, each to the result before", () => {
    const settled = settle("dead-letter", cancel, cancel, reschedule);
    expect(kinds(settled)).toEqual(["changed", "refused", "changed"]);
    expect(settled.answers[1]!.decision.message.state).toBe("CANCELLED");
    expect(settled.message).toMatchObject({ state: "SCHEDULED", nextDeliveryTime: 900 });
  });

  test("apply without an attempt too; without changes, the message stays the same", () => {
    expect(applyWaitingChanges(claimed, [], 520, retentionMs).message).toBe(claimed);
    const { message } = applyWaitingChanges(claimed, [reschedule], 520, retentionMs);
    expect(message).toEqual(rescheduled(claimed, 900, 520));
    expect(decideChange(claimed, cancel, 520, retentionMs)).toEqual({
      kind: "changed",
      message: cancelled(claimed, 520, retentionMs),
    });
  });
});
