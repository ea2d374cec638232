import {
  attempt,
  delivered,
  failedAttempt,
  get,
  kept,
  message,
  ok,
  receipt,
  schedule,
} from "./small-history.ts";
import type { SmallHistory } from "./small-history.ts";

/** Histories that several tests vary. */

export const nothing = { receipts: [] as const };
export const waiting = { ...nothing, m: kept(message()), bounds: { mode: "safety" } } as const;
export const moved = message({ nextDeliveryTime: 5_000 });
export const crashAt = (at: number) => ({ kind: "crash", node: "n1", at, backAt: null }) as const;
export const failedOnce = message({
  deliveryFailureCount: 1,
  nextDeliveryTime: 1_520,
  lastDeliveryTime: 1_000,
});
/** The attempt failed at 1,000 and was repeated at 1,520. */
export const retried = {
  receipts: [receipt(1_000, { status: 500 }), receipt(1_520, { attemptNumber: 2 })],
  m: kept(
    delivered(1_520, { deliveryFailureCount: 1 }),
    failedAttempt(1_000),
    attempt(1_520, { number: 2 }),
  ),
};
export const deadAttempts = [
  failedAttempt(1_000),
  failedAttempt(1_520, { number: 2 }),
  failedAttempt(2_040, { number: 3 }),
];
export const deadReceipts = deadAttempts.map(({ startTime, number }) =>
  receipt(startTime, { attemptNumber: number, status: 500 }),
);
export const dead = message({
  state: "DEAD_LETTER",
  deliveryFailureCount: 3,
  lastDeliveryTime: 2_040,
  deadLetterTime: 2_060,
});
/** One node holds the message and dies at 1,005. Another node holds it from then on. */
export const again = (startedAt: number, ...others: SmallHistory["receipts"] & {}) => ({
  faults: [crashAt(1_005)],
  receipts: [
    receipt(1_000, { endedAt: 1_006, status: null }),
    ...others,
    receipt(startedAt, { node: "n2" }),
  ],
  m: kept(delivered(startedAt), attempt(startedAt)),
});

/** A single node stood still, began its first attempt on waking, and crashed during it. */
export const crashedOnWaking = (startedAt: number): SmallHistory => ({
  bounds: { leaseMs: 1_000, takeoverMs: null, restartMs: 2_000 },
  faults: [
    { kind: "pause", node: "n1", at: 100, until: 995 },
    { kind: "crash", node: "n1", at: 4_000, backAt: 6_000, renamed: true },
    { kind: "takeover", node: "n1", at: 6_000 },
  ],
  receipts: [receipt(1_000, { endedAt: 4_000, status: null }), receipt(startedAt, { node: "n2" })],
  m: kept(delivered(startedAt), attempt(startedAt)),
});

/** The target answered, but the node saw a failure and sent again. The message is no longer on record. */
export const unheard = {
  asked: [schedule(), get(3_500, 3_501, ok({ ...failedOnce, nextDeliveryTime: 3_000 }))],
  receipts: [receipt(1_000, { endedAt: 2_000 }), receipt(4_000, { attemptNumber: 2 })],
  m: null,
  final: { takenAt: 300_000 },
};
