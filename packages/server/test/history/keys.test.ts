import { describe, expect, test } from "vitest";
import { testBroken, titlesOf } from "./support/judged.ts";
import {
  byId,
  byKey,
  first,
  held,
  keptWith,
  options,
  outcome,
  replacedAt,
  wants,
} from "./support/keyed-history.ts";
import {
  attempt,
  cancel,
  cancelled,
  delivered,
  failedAttempt,
  get,
  message,
  ok,
  receipt,
  refused,
  reschedule,
  unknown,
} from "./support/small-history.ts";
import type { SmallHistory } from "./support/small-history.ts";

const body = (payload: string) => ({ body: Buffer.from(payload) });
const of = (messageId: string) => ({ messageId, webhookId: messageId });
const deliveredWith = (payload: string) => ({
  receipts: [receipt(1_000, body(payload))],
  m: keptWith(payload, delivered(1_000, { options }), attempt(1_000)),
});
const waits = { receipts: [], bounds: { mode: "safety" }, final: { takenAt: 900 } } as const;
const stillHeld = { ...waits, m: keptWith("one", held()) };
/** The first attempt at `m` failed, and the next one is due at 1,520. */
const failed = { deliveryFailureCount: 1, nextDeliveryTime: 1_520, lastDeliveryTime: 1_000 };
const second = { messageId: "n", schedulingTime: 1_205 };
/** `m` was attempted, then replaced by `n`, which was delivered at 3,000. */
const takenOver: SmallHistory = {
  asked: [first, wants("replace", 1_200, "two", nextFor(3_000), { dueAt: 3_000 })],
  receipts: [
    receipt(1_000, { status: 500, ...body("one") }),
    receipt(3_000, { ...of("n"), ...body("two") }),
  ],
  m: keptWith(
    "one",
    replacedAt(1_205, { deliveryFailureCount: 1, lastDeliveryTime: 1_000 }),
    failedAttempt(1_000),
  ),
  others: {
    n: keptWith(
      "two",
      delivered(3_000, { ...second, options, originalDeliveryTime: 3_000 }),
      attempt(3_000),
    ),
  },
};

function nextFor(dueAt: number) {
  return outcome("replaced", { ...second, originalDeliveryTime: dueAt, nextDeliveryTime: dueAt });
}

describe("keys that were respected", () => {
  test.each<[string, SmallHistory]>(
    Object.entries({
      "taken, and free again after the delivery": {
        asked: [first, byKey("get by key", 1_100, refused("404"))],
        ...deliveredWith("one"),
      },
      "a call that was refused, and one that keeps the holder": {
        asked: [
          first,
          wants("reject", 100, "two", refused("E-DI-5008")),
          wants("keep", 200, "three", outcome("kept")),
          byKey("get by key", 300, ok(held())),
        ],
        ...deliveredWith("one"),
      },
      "another content": {
        asked: [
          first,
          wants("replace", 100, "two", outcome("replaced", moved(2_000)), { dueAt: 2_000 }),
          wants("replaceKeepTime", 200, "three", outcome("replaced", moved(2_000)), { dueAt: 7 }),
        ],
        receipts: [receipt(2_000, body("three"))],
        m: keptWith(
          "three",
          delivered(2_000, { originalDeliveryTime: 2_000, options }),
          attempt(2_000),
        ),
      },
      "debounced up to its limit": {
        asked: [
          wants("debounce", 0, "one", outcome("created", moved(805)), { dueAt: { delayMs: 800 } }),
          wants("debounce", 700, "two", outcome("debounced", moved(1_508)), {
            dueAt: { delayMs: 800 },
          }),
          wants("debounce", 1_400, "three", outcome("debounced", moved(2_005)), {
            dueAt: { delayMs: 800 },
          }),
        ],
        receipts: [receipt(2_005, body("three"))],
        m: keptWith(
          "three",
          delivered(2_005, { originalDeliveryTime: 2_005, options }),
          attempt(2_005),
        ),
      },
      "a new message after an attempt": takenOver,
      "a call that waited for an attempt": {
        asked: [
          first,
          wants("replace", 1_001, "two", outcome("created", { ...second, ...moved(5_000) }), {
            dueAt: 5_000,
            answeredAt: 1_210,
          }),
          wants("replace", 1_300, "three", refused("E-DI-5006"), { answeredAt: 6_300 }),
        ],
        receipts: [
          receipt(1_000, { ...body("one"), endedAt: 1_200 }),
          receipt(5_000, { ...of("n"), ...body("two"), endedAt: 6_900 }),
        ],
        m: keptWith(
          "one",
          delivered(1_000, { options, expirationTime: 101_203 }),
          attempt(1_000, { endTime: 1_200 }),
        ),
        others: {
          n: keptWith(
            "two",
            delivered(5_000, {
              ...second,
              originalDeliveryTime: 5_000,
              options,
              expirationTime: 106_905,
            }),
            attempt(5_000, { endTime: 6_900 }),
          ),
        },
      },
      "cancelled and rescheduled by key": {
        asked: [
          first,
          byKey("reschedule by key", 100, ok(held({ nextDeliveryTime: 5_000 })), { dueAt: 5_000 }),
          byKey("cancel by key", 200, ok(cancelled(205, { options }))),
          byKey("cancel by key", 300, refused("E-DI-5001")),
          byKey("reschedule by key", 300, refused("E-DI-5001"), { dueAt: 5_000 }),
        ],
        receipts: [],
        m: keptWith("one", cancelled(205, { options })),
      },
      "an ended message that cannot come back": {
        asked: [
          first,
          cancel(20, 30, ok(cancelled(25, { options }))),
          wants("reject", 100, "two", outcome("created", { messageId: "n", schedulingTime: 105 })),
          reschedule(200, 210, 5_000, refused("E-DI-5008")),
        ],
        ...waits,
        m: keptWith("one", cancelled(25, { options })),
        others: { n: keptWith("two", held({ messageId: "n", schedulingTime: 105 })) },
      },
      "answers that were lost": {
        asked: [
          wants("replace", 0, "one", unknown),
          wants("replace", 100, "two", unknown, { dueAt: 2_000 }),
          wants("keep", 200, "three", outcome("kept", moved(2_000))),
          wants("replace", 300, "four", unknown, { dueAt: 3_000 }),
        ],
        receipts: [receipt(2_000, body("two"))],
        m: keptWith(
          "two",
          delivered(2_000, { originalDeliveryTime: 2_000, options }),
          attempt(2_000),
        ),
      },
      "a lost call that took over the key, repeated": {
        ...takenOver,
        asked: [
          first,
          wants("replace", 1_200, "two", unknown, { dueAt: 3_000 }),
          wants("replace", 1_300, "two", nextFor(3_000), { dueAt: 3_000 }),
        ],
      },
      "a message that nobody was told of": {
        asked: [
          wants("replace", 0, "one", unknown, { options: { bound: { notAfter: 1_500 } } }),
          wants("reject", 100, "two", refused("E-DI-5008")),
          wants("reject", 2_000, "three", outcome("created", { schedulingTime: 2_005 })),
        ],
        receipts: [receipt(2_020, body("three"))],
        m: keptWith("three", delivered(2_020, { options, schedulingTime: 2_005 }), attempt(2_020)),
      },
      "a message of a lost call, ended by its notAfter": {
        asked: [
          wants("reject", 0, "one", unknown, { options: { bound: { notAfter: 1_500 } } }),
          wants("keep", 100, "two", unknown),
        ],
        receipts: [],
        m: keptWith("one", {
          ...message({ state: "DEAD_LETTER", endReason: "NOT_AFTER", deadLetterTime: 1_510 }),
          options: { ...options, notAfter: 1_500 },
        }),
      },
      "lost calls by key": {
        asked: [
          first,
          byKey("cancel by key", 100, unknown),
          byKey("get by key", 300, refused("404")),
        ],
        receipts: [],
        m: keptWith("one", cancelled(205, { options })),
      },
    }),
  )("%s", (_, history) => {
    expect(titlesOf(history)).toEqual([]);
  });
});

function moved(dueAt: number) {
  return { originalDeliveryTime: dueAt, nextDeliveryTime: dueAt };
}

const fitsNowhere = (step: string): string =>
  `KEY Keys: key k of t has a history that no order of its events explains: "${step}" fits nowhere`;

describe("KEY: one scheduled message for one key", () => {
  testBroken({
    "two in the end": [
      "KEY Keys: key k of t has 2 scheduled messages in the end, m and n",
      {
        ...stillHeld,
        asked: [
          first,
          wants("replace", 100, "two", outcome("created", { messageId: "n", schedulingTime: 105 })),
        ],
        others: { n: keptWith("two", held({ messageId: "n", schedulingTime: 105 })) },
      },
    ],
    "two at once, of which one has ended since": [
      "KEY Keys: key k of t had two scheduled messages at once",
      {
        asked: [
          first,
          wants("replace", 100, "two", outcome("created", { messageId: "n", schedulingTime: 105 })),
          byId(
            cancel(300, 310, ok(cancelled(305, { options, messageId: "n", schedulingTime: 105 }))),
            "n",
          ),
        ],
        ...deliveredWith("one"),
        others: {
          n: keptWith("two", cancelled(305, { options, messageId: "n", schedulingTime: 105 })),
        },
      },
    ],
    "a cancelled message that came back while another had its key": [
      "KEY Keys: key k of t had two scheduled messages at once",
      {
        asked: [
          first,
          cancel(20, 30, ok(cancelled(25, { options }))),
          wants("reject", 100, "two", outcome("created", { messageId: "n", schedulingTime: 105 })),
          reschedule(200, 210, 1_000, ok(held())),
          byId(
            cancel(300, 310, ok(cancelled(305, { options, messageId: "n", schedulingTime: 105 }))),
            "n",
          ),
        ],
        ...deliveredWith("one"),
        others: {
          n: keptWith("two", cancelled(305, { options, messageId: "n", schedulingTime: 105 })),
        },
      },
    ],
    "an old message that its replacement did not end": [
      "KEY Keys: key k of t had m attempted with an old payload 310 ms after it was replaced",
      {
        ...takenOver,
        receipts: [...takenOver.receipts!, receipt(1_520, { attemptNumber: 2, ...body("one") })],
        m: keptWith(
          "one",
          delivered(1_520, { options, deliveryFailureCount: 1 }),
          failedAttempt(1_000),
          attempt(1_520, { number: 2 }),
        ),
      },
    ],
  });
});

describe("KEY: contents that vanish or come back", () => {
  const replaced = wants("replace", 100, "two", outcome("replaced"));
  testBroken({
    "an old content that was delivered": [
      "KEY Keys: key k of t had m attempted with an old payload 890 ms after it was replaced",
      { asked: [first, replaced], ...deliveredWith("one") },
    ],
    "an old content that was delivered, though its message was rescheduled only before": [
      "KEY Keys: key k of t had m attempted with an old payload 890 ms after it was replaced",
      {
        asked: [first, reschedule(20, 30, 1_000, ok(held())), replaced],
        ...deliveredWith("one"),
      },
    ],
    "an acknowledged content that is gone": [
      "KEY Keys: key k of t was given to a call and acknowledged so, and the effect is gone",
      { ...stillHeld, asked: [first, replaced] },
    ],
    "an acknowledged message that is gone": [
      "G1 Durable: key k of t had a message that was acknowledged and is gone",
      { asked: [first], receipts: [], m: null },
    ],
    "a content that nobody asked for": [
      "G16 Exact bytes: key k of t had m (attempt 1) come with bytes that no call had given",
      {
        ...deliveredWith("one"),
        asked: [first],
        receipts: [receipt(1_000, body("other"))],
      },
    ],
    "the content of a call that was refused": [
      "G16 Exact bytes: key k of t had m (attempt 1) come with bytes that no call had given",
      {
        asked: [first, wants("reject", 100, "two", refused("E-DI-5008"))],
        ...deliveredWith("two"),
      },
    ],
    "a content delivered before it was due": [
      "G10 Reschedule: m has attempt 1 on record, begun 100 ms before the time it had been rescheduled to",
      {
        asked: [
          first,
          wants("replace", 100, "two", outcome("replaced", moved(1_200)), { dueAt: 1_200 }),
        ],
        receipts: [receipt(1_100, body("two"))],
        m: keptWith(
          "two",
          delivered(1_100, { originalDeliveryTime: 1_200, options }),
          attempt(1_100),
        ),
      },
    ],
    "a lost call that had its effect twice": [
      "KEY Keys: key k of t was taken twice by a call whose answer was lost",
      {
        asked: [
          wants("reject", 0, "one", unknown),
          byKey("cancel by key", 100, ok(cancelled(105, { options }))),
        ],
        receipts: [receipt(1_000, { ...of("n"), ...body("one") })],
        m: keptWith("one", cancelled(105, { options })),
        others: {
          n: keptWith(
            "one",
            delivered(1_000, { messageId: "n", schedulingTime: 205, options }),
            attempt(1_000),
          ),
        },
      },
    ],
  });
});

describe("KEY: answers that contradict each other", () => {
  const gone = cancel(20, 30, ok(cancelled(25, { options })));
  const ended = { receipts: [], m: keptWith("one", cancelled(25, { options })) };
  testBroken({
    "refused although the key was free": [
      fitsNowhere("reject → refused with E-DI-5008"),
      { ...ended, asked: [first, gone, wants("reject", 100, "two", refused("E-DI-5008"))] },
    ],
    "kept although its message had ended": [
      fitsNowhere("keep → kept m"),
      { ...ended, asked: [first, gone, wants("keep", 100, "two", outcome("kept"))] },
    ],
    "replaced although its message had ended": [
      "KEY Keys: key k of t was given to a call and acknowledged so, and the effect is gone",
      { ...ended, asked: [first, gone, wants("replace", 100, "two", outcome("replaced"))] },
    ],
    "not found although it had a message": [
      fitsNowhere("get by key → refused with 404"),
      { ...deliveredWith("one"), asked: [first, byKey("get by key", 100, refused("404"))] },
    ],
    "found although its message had ended": [
      fitsNowhere("get by key → ok"),
      { ...ended, asked: [first, gone, byKey("get by key", 100, ok(held()))] },
    ],
    "not cancelled although it had a message": [
      fitsNowhere("cancel by key → refused with E-DI-5001"),
      {
        ...deliveredWith("one"),
        asked: [first, byKey("cancel by key", 100, refused("E-DI-5001"))],
      },
    ],
    "refused after no wait": [
      fitsNowhere("replace → refused with E-DI-5006"),
      {
        ...deliveredWith("one"),
        asked: [first, wants("replace", 100, "two", refused("E-DI-5006"))],
      },
    ],
    "an ended message kept from coming back by nobody": [
      fitsNowhere("m: reschedule → refused with E-DI-5008"),
      { ...ended, asked: [first, gone, reschedule(100, 110, 5_000, refused("E-DI-5008"))] },
    ],
    "another outcome than the call asked for": [
      fitsNowhere("reject → replaced m"),
      { ...deliveredWith("two"), asked: [first, wants("reject", 100, "two", outcome("replaced"))] },
    ],
    "another content under the id of a message that was attempted": [
      fitsNowhere("replace → replaced m"),
      {
        asked: [
          first,
          wants("replace", 1_200, "two", outcome("replaced", { ...failed, ...moved(3_000) }), {
            dueAt: 3_000,
          }),
        ],
        receipts: [
          receipt(1_000, { status: 500, ...body("one") }),
          receipt(3_000, { attemptNumber: 2, ...body("two") }),
        ],
        m: keptWith(
          "two",
          delivered(3_000, {
            options,
            deliveryFailureCount: 1,
            ...moved(3_000),
            nextDeliveryTime: null,
          }),
          failedAttempt(1_000),
          attempt(3_000, { number: 2 }),
        ),
      },
    ],
    "a new message though the old one was never attempted": [
      fitsNowhere("replace → replaced n"),
      {
        ...waits,
        asked: [
          first,
          wants(
            "replace",
            100,
            "two",
            outcome("replaced", { messageId: "n", schedulingTime: 105 }),
          ),
        ],
        m: keptWith("one", replacedAt(105)),
        others: { n: keptWith("two", held({ messageId: "n", schedulingTime: 105 })) },
      },
    ],
    "a time that was not kept": [
      fitsNowhere("replaceKeepTime → replaced m"),
      {
        ...waits,
        asked: [
          first,
          wants("replaceKeepTime", 100, "two", outcome("replaced", moved(2_000)), { dueAt: 2_000 }),
        ],
        m: keptWith("two", held(moved(2_000))),
      },
    ],
    "debounced beyond its limit": [
      fitsNowhere("debounce → debounced m"),
      {
        ...waits,
        asked: [
          first,
          wants("debounce", 100, "two", outcome("debounced", moved(2_505)), {
            dueAt: { delayMs: 2_400 },
          }),
        ],
        m: keptWith("two", held(moved(2_505))),
      },
    ],
    "an ended message without the reason": [
      fitsNowhere("m: CANCELLED in the end"),
      {
        ...takenOver,
        m: keptWith(
          "one",
          cancelled(1_205, { options, deliveryFailureCount: 1, lastDeliveryTime: 1_000 }),
          failedAttempt(1_000),
        ),
      },
    ],
    "a read from before a replacement": [
      fitsNowhere("m: get → SCHEDULED"),
      {
        ...waits,
        asked: [
          first,
          wants("replace", 100, "two", outcome("replaced", moved(2_000)), { dueAt: 2_000 }),
          get(200, 210, ok(held())),
        ],
        m: keptWith("two", held(moved(2_000))),
      },
    ],
    "a repeated call that is answered differently": [
      "G2 No half effects: m was answered differently to a repeated call",
      {
        ...deliveredWith("one"),
        asked: [first, wants("reject", 100, "one", outcome("kept"))],
      },
    ],
  });
});

describe("G14: the quota of calls with keys", () => {
  const month = "1970-01";
  const charged = (used: number): SmallHistory => ({
    ...deliveredWith("two"),
    asked: [
      first,
      wants("replace", 100, "two", outcome("replaced")),
      wants("keep", 200, "three", outcome("kept")),
    ],
    final: { usage: [{ accountId: "acc_a", month, used, limit: null }] },
  });

  test("a content counts, and a call that keeps the holder does not", () => {
    expect(titlesOf(charged(2))).toEqual([]);
  });

  testBroken({
    "a content that was not charged": [
      "G14 Quota: acc_a is charged for 1 messages in 1970-01, and has 2",
      charged(1),
    ],
    "a kept holder that was charged": [
      "G14 Quota: acc_a is charged for 3 messages in 1970-01, and has 2",
      charged(3),
    ],
  });
});
