import { describe } from "vitest";
import { again, crashAt, crashedOnWaking, retried, waiting } from "./support/familiar-histories.ts";
import {
  accountId,
  attempt,
  delivered,
  failedAttempt,
  kept,
  message,
  receipt,
} from "./support/small-history.ts";
import { testBroken } from "./support/judged.ts";

describe("G4: early", () => {
  testBroken({
    "attempted before it was due": [
      "G4 Never early: m was attempted 1 ms before it was due",
      {
        receipts: [receipt(999)],
      },
    ],
    "an attempt on record from before it was due": [
      "G4 Never early: m has an attempt on record that began before it was due",
      { m: kept(delivered(999), attempt(999, { endTime: 1_010 })) },
    ],
    "a retry before its time": [
      "G4 Never early: m has an attempt on record that began before it was due",
      {
        receipts: [retried.receipts[0]!, receipt(1_400, { attemptNumber: 2 })],
        m: kept(
          delivered(1_400, { deliveryFailureCount: 1 }),
          failedAttempt(1_000),
          attempt(1_400, { number: 2 }),
        ),
      },
    ],
  });
});

describe("G5: duplicates", () => {
  testBroken({
    "delivered twice without a fault": [
      "G5 Duplicates: m came 2 times, once more than a fault accounts for",
      { receipts: [receipt(1_000), receipt(1_100)] },
    ],
    "delivered again before its node died": [
      "G5 Duplicates: m came 2 times",
      { ...again(1_030), faults: [crashAt(1_050)], bounds: { recordMs: 1_000 } },
    ],
    "delivered twice, long before its node died": [
      "G5 Duplicates: m came 2 times",
      { ...again(12_000), faults: [crashAt(5_000)] },
    ],
    "delivered twice, and another node died": [
      "G5 Duplicates: m came 2 times",
      { ...again(12_000), faults: [{ ...crashAt(1_005), node: "n3" }] },
    ],
    "delivered twice after a pause that is shorter than the lease": [
      "G5 Duplicates: m came 2 times",
      { ...again(12_000), faults: [{ kind: "pause", node: "n1", at: 1_005, until: 6_000 }] },
    ],
    "delivered twice after calls that failed and were made again": [
      "G5 Duplicates: m came 2 times",
      {
        ...again(12_000),
        faults: [{ kind: "store", node: "n1", at: 1_001, until: 1_400, commit: "after" }],
      },
    ],
    "an outcome that was not written though the store took it again": [
      "G3 Nothing vanishes: m was attempted, and that is not on record",
      {
        receipts: [receipt(1_000)],
        m: kept(message()),
        bounds: { leaseMs: null },
        faults: [{ kind: "store", node: "n1", at: 1_015, until: 6_500, commit: "before" }],
        final: { takenAt: 6_610 },
      },
    ],
    "sent again by a single node that had only stood still": [
      "G5 Duplicates: m came 2 times",
      {
        ...again(33_000),
        bounds: { leaseMs: null, takeoverMs: null },
        faults: [{ kind: "pause", node: "n1", at: 1_005, until: 31_000 }],
      },
    ],
    "accepted twice, and removed by now": [
      "G5 Duplicates: m was taken with 204, and came 2 times",
      {
        receipts: [receipt(1_000), receipt(1_100)],
        m: null,
        final: { takenAt: 300_000 },
      },
    ],
    "another webhook-id": [
      "G5 Duplicates: m came with the webhook-id x",
      { receipts: [receipt(1_000, { webhookId: "x" })] },
    ],
    "a success that is on record as a failure": [
      "G5 Duplicates: m was answered with 204, and attempt 1 is on record with TIMEOUT",
      {
        ...retried,
        receipts: [receipt(1_000), retried.receipts[1]!],
        m: kept(
          delivered(1_520, { deliveryFailureCount: 1 }),
          failedAttempt(1_000, { outcome: "TIMEOUT", statusCode: null }),
          attempt(1_520, { number: 2 }),
        ),
      },
    ],
  });
});

describe("G6: two at once", () => {
  testBroken({
    "two at once": [
      "G6 One at a time: m was attempted twice at once for 10 ms (attempts 1 and 1)",
      { receipts: [receipt(1_000, { endedAt: 1_100 }), receipt(1_050)] },
    ],
    "two at once, before the holder died": [
      "G6 One at a time: m was attempted twice at once for 4 ms",
      {
        ...again(1_030),
        receipts: [
          receipt(1_000, { endedAt: 1_034, status: null }),
          receipt(1_030, { node: "n2" }),
        ],
        faults: [crashAt(1_033)],
      },
    ],
    "two at once on record": [
      "G6 One at a time: m has attempt 2 on record, begun 100 ms before attempt 1 had ended",
      {
        ...retried,
        m: kept(
          delivered(1_520, { deliveryFailureCount: 1 }),
          failedAttempt(1_000, { endTime: 1_620 }),
          attempt(1_520, { number: 2 }),
        ),
      },
    ],
    "a membership that was ended without a reason": [
      "G6 One at a time: the membership of n1 was ended at 500, though nothing had happened to it",
      { faults: [{ kind: "takeover", node: "n1", at: 500 }] },
    ],
  });
});

describe("G7: stuck", () => {
  testBroken({
    "attempted again too late": [
      "G7 Never stuck: m was attempted again only 20996 ms after its node had died, 996 ms too late",
      { ...again(22_001), m: kept(delivered(22_001), attempt(22_001)) },
    ],
    "attempted again too late, while its node stands still": [
      "G7 Never stuck: m was attempted again only 24995 ms after its node had died, 4995 ms too late",
      {
        ...again(26_000),
        faults: [{ kind: "pause", node: "n1", at: 1_005, until: 31_000 }],
      },
    ],
    "never attempted again": [
      "G7 Never stuck: m had not been attempted again 58995 ms after its node had died",
      {
        ...again(1),
        receipts: [receipt(1_000, { endedAt: 1_006, status: null })],
        m: kept(message()),
        bounds: { mode: "safety" },
      },
    ],
    "held by a dead node and never attempted": [
      "G7 Never stuck: m had not been attempted again",
      { ...waiting, faults: [crashAt(1_005)] },
    ],
    "not attempted at once after a restart": [
      "G7 Never stuck: m was attempted again only 9995 ms after its node had died, 2995 ms too late",
      {
        ...again(11_000),
        faults: [{ ...crashAt(1_005), backAt: 3_005 }],
        bounds: { takeoverMs: null, leaseMs: null },
      },
    ],
    "attempted again too late after a crash that followed a long pause": [
      "G7 Never stuck: m was attempted again only 5000 ms after its node had died, 1000 ms too late",
      crashedOnWaking(9_000),
    ],
  });
});

describe("G8: isolation", () => {
  testBroken({
    "sent to another target": [
      "G8 Isolation: m went to target u, and belongs to t",
      { receipts: [receipt(1_000, { targetId: "u" })] },
    ],
    "late because another target hangs": [
      "G8 Isolation: m was 300 ms late while u hung",
      {
        faults: [{ kind: "hang", accountId, targetId: "u", at: 0, until: 5_000 }],
        receipts: [receipt(1_300)],
        m: kept(delivered(1_300), attempt(1_300)),
      },
    ],
    "late because another account's target hangs": [
      "G8 Isolation: m was 300 ms late while t hung",
      {
        faults: [{ kind: "hang", accountId: "acc_b", targetId: "t", at: 0, until: 5_000 }],
        receipts: [receipt(1_300)],
        m: kept(delivered(1_300), attempt(1_300)),
      },
    ],
  });
});

describe("G16: other bytes", () => {
  testBroken({
    "other bytes": [
      "G16 Exact bytes: m came with other bytes than it was scheduled with (attempt 1: 5 bytes, different from byte 1 on",
      { receipts: [receipt(1_000, { body: Buffer.from("hallo") })] },
    ],
    "other bytes in the store": [
      "G16 Exact bytes: m is kept with other bytes",
      { m: { ...kept(delivered(1_000), attempt(1_000)), payload: "hello " } },
    ],
  });
});
