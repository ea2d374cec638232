import { describe } from "vitest";
import { nothing, waiting, retried } from "./support/familiar-histories.ts";
import {
  attempt,
  cancel,
  cancelled,
  delivered,
  get,
  kept,
  message,
  ok,
  receipt,
  refused,
  reschedule,
  schedule,
  unknown,
} from "./support/small-history.ts";
import { testBroken } from "./support/judged.ts";

describe("G1: an acknowledged message or change is lost", () => {
  testBroken({
    "gone without having ended": [
      "G1 Durable: m was acknowledged and is gone",
      { ...nothing, m: null },
    ],
    "gone before it expired": [
      "G1 Durable: m was acknowledged and is gone",
      { m: null, final: { takenAt: 99_000 } },
    ],
    "missing in a complete list": [
      "G1 Durable: m was acknowledged and is gone",
      { ...nothing, m: undefined, final: { isComplete: true } },
    ],
    "an acknowledged cancellation that is not there": [
      "G1 Durable: m was changed and acknowledged so, and the change is gone",
      {
        ...waiting,
        asked: [schedule(), cancel(20, 30, ok(cancelled(25)))],
        final: { takenAt: 900 },
      },
    ],
    "an acknowledged reschedule that is not there": [
      "G1 Durable: m was changed and acknowledged so, and the change is gone",
      {
        ...waiting,
        asked: [schedule(), reschedule(20, 30, 5_000), get(40, 50, ok(message()))],
        final: { takenAt: 900 },
      },
    ],
  });
});

describe("G2: half effects", () => {
  testBroken({
    "a key that was answered with two messages": [
      "G2 No half effects: n was made by key k, which made m too",
      {
        asked: [schedule(), schedule({ answer: ok(message({ messageId: "n" })) })],
        others: { n: kept(message({ messageId: "n", nextDeliveryTime: 1_000 })) },
        bounds: { mode: "safety" },
      },
    ],
    "a key that made a second message in silence": [
      "G2 No half effects: n was made by key k, which made another message too",
      { others: { n: kept(message({ messageId: "n" })) } },
    ],
    "a lost call that made two messages": [
      "G2 No half effects: n was made by a call that made another message too",
      {
        asked: [schedule({ key: null, answer: unknown })],
        others: { n: kept(message({ messageId: "n" })) },
      },
    ],
    "a refused schedule that made a message": [
      "G2 No half effects: n is there, though the call that asked for it was refused",
      {
        asked: [schedule(), schedule({ key: "o", payload: "o", answer: refused("E-DI-5005") })],
        others: { n: { ...kept(message({ messageId: "n" })), payload: "o" } },
      },
    ],
    "a message that nobody asked for": [
      "G2 No half effects: n is there, though nobody asked for it",
      {
        receipts: [
          receipt(1_000),
          receipt(2_000, { messageId: "n", webhookId: "n", body: Buffer.from("?") }),
        ],
      },
    ],
    "a repeat that is answered differently": [
      "G2 No half effects: m was answered with another state when the call was repeated",
      { asked: [schedule(), schedule({ askedAt: 20, answeredAt: 30, answer: ok(cancelled(25)) })] },
    ],
    "a key that answers for another request": [
      "G2 No half effects: m was answered to another request with key k",
      { asked: [schedule(), schedule({ payload: "other" })] },
    ],
    "a lost cancellation that happened twice": [
      "G2 No half effects: m was changed twice by a call whose answer was lost",
      {
        ...nothing,
        asked: [
          schedule(),
          cancel(20, 30, unknown),
          get(40, 41, ok(cancelled(35))),
          reschedule(50, 60, 5_000),
        ],
        m: kept(cancelled(700)),
      },
    ],
  });
});

describe("G3: messages and attempts that vanish", () => {
  testBroken({
    "still waiting long after it was due": [
      "G3 Nothing vanishes: m has not ended 59000 ms after it was due",
      { ...waiting, bounds: {} },
    ],
    "DELIVERED, and the target never received it": [
      "G3 Nothing vanishes: m has attempt 1 on record as DELIVERED",
      nothing,
    ],
    "DELIVERED, and the target refused it": [
      "G3 Nothing vanishes: m has attempt 1 on record as DELIVERED",
      { receipts: [receipt(1_000, { status: 500 })] },
    ],
    "DELIVERED with no success on record": [
      "G3 Nothing vanishes: m is DELIVERED with no success on record",
      { m: kept(delivered(1_000)), receipts: [] },
    ],
    "an answer on record that the target never gave": [
      "G3 Nothing vanishes: m has attempt 1 on record with 500, which its target never gave",
      { ...retried, receipts: retried.receipts.slice(1) },
    ],
    "an attempt that is missing from the record": [
      "G3 Nothing vanishes: m has attempt 2 on record where attempt 1 should be",
      { ...retried, m: kept(delivered(1_520), attempt(1_520, { number: 2 })) },
    ],
    "the only attempt is not on record": [
      "G3 Nothing vanishes: m was attempted, and that is not on record",
      { m: kept(message()), bounds: { mode: "safety" } },
    ],
    "missing for a while": [
      "G3 Nothing vanishes: m was not there for a while",
      { asked: [schedule(), get(500, 510, refused("404"))] },
    ],
  });
});
