import { expect, test } from "vitest";
import {
  again,
  crashAt,
  crashedOnWaking,
  dead,
  deadAttempts,
  deadReceipts,
  failedOnce,
  moved,
  nothing,
  retried,
  unheard,
  waiting,
} from "./support/familiar-histories.ts";
import {
  accountId,
  attempt,
  cancel,
  cancelled,
  delivered,
  failedAttempt,
  get,
  kept,
  message,
  ok,
  policy,
  receipt,
  refused,
  reschedule,
  retentionMs,
  schedule,
  unknown,
} from "./support/small-history.ts";
import { titlesOf } from "./support/judged.ts";
import type { SmallHistory } from "./support/small-history.ts";

/** These histories keep every promise. */
test.each<[string, SmallHistory]>(
  Object.entries({
    "delivered in time": {},
    "waiting for its time": { ...waiting, bounds: {}, final: { takenAt: 900 } },
    "failed and tried again": retried,
    "a read between two attempts": {
      ...retried,
      asked: [schedule(), get(1_100, 1_101, ok(failedOnce))],
    },
    "out of attempts": { receipts: deadReceipts, m: kept(dead, ...deadAttempts) },
    "cancelled before it was due": {
      ...nothing,
      asked: [schedule(), cancel(20, 30, ok(cancelled(25)))],
      m: kept(cancelled(25)),
    },
    "a cancellation that waited for an attempt, which failed": {
      asked: [
        schedule(),
        cancel(
          1_005,
          1_020,
          ok(cancelled(1_015, { deliveryFailureCount: 1, lastDeliveryTime: 1_000 })),
        ),
      ],
      receipts: [receipt(1_000, { status: 500 })],
      m: kept(
        cancelled(1_015, { deliveryFailureCount: 1, lastDeliveryTime: 1_000 }),
        failedAttempt(1_000),
      ),
    },
    "the last attempt fails while a reschedule waits": {
      asked: [
        schedule(),
        reschedule(
          2_045,
          2_065,
          9_000,
          ok(
            message({ nextDeliveryTime: 9_000, deliveryFailureCount: 3, lastDeliveryTime: 2_040 }),
          ),
        ),
      ],
      receipts: [...deadReceipts, receipt(9_000, { attemptNumber: 4 })],
      m: kept(
        delivered(9_000, { deliveryFailureCount: 3 }),
        ...deadAttempts,
        attempt(9_000, { number: 4 }),
      ),
    },
    "the last attempt fails while a cancellation waits": {
      asked: [
        schedule(),
        cancel(
          2_045,
          2_065,
          ok(cancelled(2_060, { deliveryFailureCount: 3, lastDeliveryTime: 2_040 })),
        ),
      ],
      receipts: deadReceipts,
      m: kept(
        cancelled(2_060, { deliveryFailureCount: 3, lastDeliveryTime: 2_040 }),
        ...deadAttempts,
      ),
    },
    "a cancellation that came too late": {
      asked: [schedule(), cancel(1_005, 1_020, refused("E-DI-5003"))],
    },
    "a cancellation that waited in vain": {
      asked: [schedule(), cancel(1_005, 6_005, refused("E-DI-5003"))],
      receipts: [receipt(1_000, { endedAt: 8_000 })],
      m: kept(
        delivered(1_000, { expirationTime: 8_005 + retentionMs }),
        attempt(1_000, { endTime: 8_000 }),
      ),
    },
    "a lost cancellation that happened": {
      ...nothing,
      asked: [schedule(), cancel(20, 30, unknown)],
      m: kept(cancelled(700)),
    },
    "a lost cancellation that did not happen": {
      asked: [schedule(), cancel(20, 30, unknown)],
    },
    "rescheduled to later": {
      asked: [schedule(), reschedule(20, 30, 5_000)],
      receipts: [receipt(5_000)],
      m: kept(delivered(5_000), attempt(5_000)),
    },
    "rescheduled to earlier": {
      asked: [schedule(), reschedule(20, 30, 100)],
      receipts: [receipt(100)],
      m: kept(delivered(100), attempt(100)),
    },
    "cancelled, and scheduled again": {
      asked: [
        schedule(),
        cancel(20, 30, ok(cancelled(25))),
        reschedule(40, 50, 5_000),
        get(60, 70, ok(moved)),
      ],
      receipts: [receipt(5_000)],
      m: kept(delivered(5_000), attempt(5_000)),
    },
    "two reschedules at once": {
      asked: [
        schedule(),
        reschedule(20, 60, 5_000),
        reschedule(25, 55, 3_000, ok(message({ nextDeliveryTime: 3_000 }))),
      ],
      receipts: [receipt(3_000)],
      m: kept(delivered(3_000), attempt(3_000)),
    },
    "a lost schedule that was repeated with its key": {
      asked: [schedule({ answer: unknown }), schedule({ askedAt: 2_000, answeredAt: 2_010 })],
    },
    "a lost schedule that happened without an answer": {
      asked: [schedule({ key: null, answer: unknown })],
    },
    "a lost schedule that never happened": {
      ...nothing,
      asked: [schedule(), schedule({ key: "other", answer: unknown, payload: "other" })],
      ...{ receipts: [receipt(1_000)] },
    },
    "a refused schedule": {
      asked: [schedule(), schedule({ key: "o", payload: "o", answer: refused("E-DI-5005") })],
    },
    "removed after its expiry": {
      asked: [schedule(), get(200_000, 200_001, refused("404"))],
      m: null,
      final: { takenAt: 300_000 },
    },
    "its node died before the outcome was written": again(12_000),
    "its node died, and the last request comes late": again(12_000, receipt(1_008)),
    "its node stood still for longer than its lease": {
      ...again(12_000),
      faults: [{ kind: "pause", node: "n1", at: 1_005, until: 31_000 }],
      receipts: [
        receipt(1_000, { endedAt: 31_001, status: null }),
        receipt(12_000, { node: "n2" }),
      ],
    },
    "its node was taken over, since the store did not answer": {
      ...again(12_000),
      faults: [
        { kind: "store", node: "n1", at: 1_001, until: 1_400, commit: "before" },
        { kind: "takeover", node: "n1", at: 11_500 },
      ],
    },
    "an answer that came after the time-out": {
      receipts: [receipt(1_000, { endedAt: 6_000 }), receipt(6_520, { attemptNumber: 2 })],
      m: kept(
        delivered(6_520, { deliveryFailureCount: 1 }),
        attempt(1_000, { endTime: 6_000, outcome: "TIMEOUT", statusCode: null }),
        attempt(6_520, { number: 2 }),
      ),
    },
    "taken over, and removed by now": {
      ...again(12_000),
      receipts: [receipt(1_000, { endedAt: 1_003 }), receipt(12_000, { node: "n2" })],
      m: null,
      final: { takenAt: 300_000 },
    },
    "an answer that came while its node stood still, and removed by now": {
      ...unheard,
      faults: [{ kind: "pause", node: "n1", at: 1_100, until: 3_000 }],
    },
    "an answer that came after the time-out, and removed by now": {
      ...unheard,
      targets: [{ accountId, targetId: "t", retryPolicy: policy, timeoutMs: 1_000 }],
    },
    "waiting for a target that is paused": {
      ...waiting,
      bounds: {},
      targets: [{ accountId, targetId: "t", retryPolicy: policy, timeoutMs: 5_000, mayWait: true }],
      faults: [crashAt(1_005)],
    },
    "still under way at the end": {
      receipts: [receipt(1_000, { endedAt: null, status: null })],
      m: kept(message()),
      final: { takenAt: 1_500 },
    },
    "an outcome that could not be written by the end": {
      receipts: [receipt(1_000)],
      m: kept(message()),
      bounds: { leaseMs: null },
      faults: [{ kind: "store", node: "n1", at: 1_015, until: 6_500, commit: "before" }],
      final: { takenAt: 6_590 },
    },
    "a single node that stood still with an outcome and lost it when it was stopped": {
      ...again(33_000),
      bounds: { leaseMs: null, takeoverMs: null },
      faults: [
        { kind: "pause", node: "n1", at: 1_005, until: 31_000 },
        { kind: "stop", node: "n1", at: 20_000, until: 31_001 },
        { kind: "store", node: "n1", at: 31_000, until: 31_001, commit: "before" },
      ],
    },
    "attempted again in time after a crash that followed a long pause": crashedOnWaking(7_900),
    "clocks that are a little apart": {
      receipts: [receipt(980)],
      bounds: { clockUncertaintyMs: 30 },
    },
  }),
)("%s", (_, parts) => {
  expect(titlesOf(parts)).toEqual([]);
});
