import { describe } from "vitest";
import {
  dead,
  deadAttempts,
  deadReceipts,
  nothing,
  unheard,
} from "./support/familiar-histories.ts";
import {
  attempt,
  cancel,
  cancelled,
  delivered,
  failedAttempt,
  get,
  kept,
  message,
  ok,
  receipt,
  refused,
  reschedule,
  retentionMs,
  schedule,
} from "./support/small-history.ts";
import { testBroken } from "./support/judged.ts";

describe("G9: cancellations", () => {
  testBroken({
    "attempted after its cancellation": [
      "G9 Cancel: m was attempted 312 ms after its cancellation was answered",
      {
        asked: [schedule(), cancel(900, 1_000, ok(cancelled(950)))],
        receipts: [receipt(1_312)],
        m: kept(cancelled(950)),
      },
    ],
    "attempted after its cancellation, and a reschedule that was refused": [
      "G9 Cancel: m was attempted 312 ms after its cancellation was answered",
      {
        asked: [
          schedule(),
          cancel(900, 1_000, ok(cancelled(950))),
          reschedule(1_100, 1_200, 1_300, refused("E-DI-2003")),
        ],
        receipts: [receipt(1_312)],
        m: kept(cancelled(950)),
      },
    ],
    "being attempted when its cancellation was answered": [
      "G9 Cancel: m was being attempted when its cancellation was answered, since 5 ms",
      {
        asked: [schedule(), cancel(900, 1_005, ok(cancelled(950)))],
        m: kept(cancelled(950)),
      },
    ],
    "an attempt on record that the cancellation does not know of": [
      "G9 Cancel: m has attempt 1 on record, which its cancellation does not know of",
      {
        asked: [schedule(), cancel(900, 1_005, ok(cancelled(950)))],
        m: kept(cancelled(950), failedAttempt(940, { outcome: "TIMEOUT", statusCode: null })),
        receipts: [],
      },
    ],
    "delivered after its cancellation": [
      "G9 Cancel: m was attempted 970 ms after its cancellation was answered",
      { asked: [schedule(), cancel(20, 30, ok(cancelled(25)))] },
    ],
  });
});

describe("G10: reschedules", () => {
  testBroken({
    "attempted before the time it was rescheduled to": [
      "G10 Reschedule: m was attempted 970 ms after it was rescheduled, 4000 ms before the new time",
      { asked: [schedule(), reschedule(20, 30, 5_000)] },
    ],
    "an older attempt's result over a reschedule": [
      "G10 Reschedule: m has attempt 1 on record, begun 4000 ms before the time it had been rescheduled to",
      { asked: [schedule(), reschedule(1_005, 1_020, 5_000)] },
    ],
  });
});

describe("G11: one history", () => {
  testBroken({
    "failed although its node had received the answer, and removed by now": [
      "G11 One history: m has a history that no order of its events explains",
      { ...unheard, receipts: [receipt(1_000)] },
    ],
    "a count that does not match the record": [
      "G11 One history: m counts 2 failures, and 0 failed attempts are on record",
      { m: kept(delivered(1_000, { deliveryFailureCount: 2 }), attempt(1_000)) },
    ],
    "a read that goes back in time": [
      "G11 One history: m has a history that no order of its events explains",
      {
        ...nothing,
        asked: [schedule(), cancel(20, 30, ok(cancelled(25))), get(40, 50, ok(message()))],
        m: kept(cancelled(25)),
      },
    ],
    "a read of a state that comes later": [
      "G11 One history: m has a history that no order of its events explains",
      { asked: [schedule(), get(500, 600, ok(delivered(1_000)))] },
    ],
    "a read of a result that does not exist yet": [
      "G11 One history",
      {
        asked: [
          schedule(),
          get(
            2_061,
            2_062,
            ok(message({ ...dead, deadLetterTime: 2_070, expirationTime: 2_070 + retentionMs })),
          ),
        ],
        receipts: deadReceipts,
        m: kept(
          message({ ...dead, deadLetterTime: 2_070, expirationTime: 2_070 + retentionMs }),
          ...deadAttempts,
        ),
      },
    ],
    "SCHEDULED with a success on record": [
      "G11 One history",
      { m: kept(message(), attempt(1_000)), bounds: { mode: "safety" } },
    ],
    "delivered after it was dead": [
      "G11 One history: m was tried again or given up against its retry policy",
      {
        receipts: [...deadReceipts, receipt(3_000, { attemptNumber: 4 })],
        m: kept(
          delivered(3_000, { deliveryFailureCount: 3 }),
          ...deadAttempts,
          attempt(3_000, { number: 4 }),
        ),
      },
    ],
    "dead before its attempts were used up": [
      "G11 One history: m was tried again or given up against its retry policy",
      {
        receipts: deadReceipts.slice(0, 2),
        m: kept(
          message({
            ...dead,
            deliveryFailureCount: 2,
            lastDeliveryTime: 1_520,
            deadLetterTime: 1_540,
            expirationTime: 1_540 + retentionMs,
          }),
          ...deadAttempts.slice(0, 2),
        ),
      },
    ],
    "a retry budget that a reschedule did not renew": [
      "G11 One history: m was tried again or given up against its retry policy",
      {
        asked: [
          schedule(),
          reschedule(
            1_600,
            1_610,
            5_000,
            ok(
              message({
                nextDeliveryTime: 5_000,
                deliveryFailureCount: 2,
                lastDeliveryTime: 1_520,
              }),
            ),
          ),
        ],
        receipts: [...deadReceipts.slice(0, 2), receipt(5_000, { attemptNumber: 3, status: 500 })],
        m: kept(
          message({
            ...dead,
            lastDeliveryTime: 5_000,
            deadLetterTime: 5_020,
            expirationTime: 5_020 + retentionMs,
          }),
          ...deadAttempts.slice(0, 2),
          failedAttempt(5_000, { number: 3 }),
        ),
      },
    ],
    "a cancellation refused for no reason": [
      "G11 One history",
      { asked: [schedule(), cancel(20, 30, refused("E-DI-5003"))] },
    ],
    "a reschedule refused for no reason": [
      "G11 One history",
      { asked: [schedule(), reschedule(20, 30, 5_000, refused("E-DI-5004"))] },
    ],
    "a cancellation of a delivered message": [
      "G9 Cancel: m has attempt 1 on record, which its cancellation does not know of",
      {
        asked: [schedule(), cancel(20, 3_000, ok(cancelled(2_000, { lastDeliveryTime: 1_000 })))],
        m: kept(cancelled(2_000, { lastDeliveryTime: 1_000 }), attempt(1_000)),
      },
    ],
    "a constant field that changed": [
      "G11 One history: m was shown with another originalDeliveryTime, which never changes",
      { asked: [schedule(), get(20, 30, ok(message({ originalDeliveryTime: 7 })))] },
    ],
    "acknowledged for another time": [
      "G11 One history: m was acknowledged with an nextDeliveryTime of 7",
      { asked: [schedule({ answer: ok(message({ nextDeliveryTime: 7 })) })] },
    ],
    "kept for longer or shorter than its retention": [
      "G11 One history",
      { m: kept(delivered(1_000, { expirationTime: 900 + retentionMs }), attempt(1_000)) },
    ],
    "still there after its expiry": [
      "G11 One history",
      {
        asked: [schedule(), get(200_000, 200_001, ok(delivered(1_000)))],
        final: { takenAt: 200_002 },
      },
    ],
  });
});
