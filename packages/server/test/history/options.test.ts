import { describe, expect, test } from "vitest";
import type { Message } from "../../src/domain/message.ts";
import type { AskedBound, ChangeAsked } from "./history.ts";
import { testBroken, titlesOf } from "./support/judged.ts";
import {
  attempt,
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
  schedule,
  unknown,
} from "./support/small-history.ts";
import type { SmallHistory } from "./support/small-history.ts";

/** The message of these histories is for 1,000, and no attempt may start from 3,000 on. */
const options = { notAfter: 3_000 };
const bound = { notAfter: 3_000 };
const bounded = schedule({ options: { bound }, answer: ok(message({ options })) });
const outrunAt = (deadLetterTime: number, shown: Partial<Message> = {}): Message =>
  message({ state: "DEAD_LETTER", endReason: "NOT_AFTER", deadLetterTime, options, ...shown });
const failed = { status: 500 };
const moved = (
  askedAt: number,
  dueAt: number,
  answer: ChangeAsked["answer"],
  newBound?: AskedBound | null,
): ChangeAsked => ({
  ...reschedule(askedAt, askedAt + 10, dueAt, answer),
  ...(newBound !== undefined && { bound: newBound }),
});
const shownAt = (nextDeliveryTime: number, change: Partial<Message> = {}) =>
  ok(message({ nextDeliveryTime, ...change }));
const relativeTo = (dueAt: number) => ({ notAfter: dueAt + 2_000, notAfterMs: 2_000 });
const relative = relativeTo(1_000);
const laterBound = relativeTo(31_000);

describe("a bound that was kept", () => {
  test.each<[string, SmallHistory]>(
    Object.entries({
      "delivered before it": {
        asked: [bounded],
        m: kept(delivered(1_000, { options }), attempt(1_000)),
      },
      "delivered after it by an attempt that began before": {
        asked: [bounded],
        receipts: [receipt(2_990, { endedAt: 3_200 })],
        m: kept(
          delivered(2_990, { options, expirationTime: 103_200 }),
          attempt(2_990, { endTime: 3_200 }),
        ),
      },
      "ended without an attempt": { asked: [bounded], receipts: [], m: kept(outrunAt(3_001)) },
      "ended at once, because the retry would have come too late": {
        asked: [bounded],
        receipts: [receipt(2_600, failed)],
        m: kept(
          outrunAt(2_612, { deliveryFailureCount: 1, lastDeliveryTime: 2_600 }),
          failedAttempt(2_600),
        ),
      },
      "ended although the caller never learned of the message": {
        asked: [{ ...bounded, answer: unknown }],
        receipts: [],
        m: kept(outrunAt(3_001)),
      },
      "moved along with the delivery time": {
        asked: [
          schedule({
            options: { bound: { notAfterMs: 2_000 } },
            answer: shownAt(1_000, { options: relative }),
          }),
          moved(100, 2_000, shownAt(2_000, { options: relativeTo(2_000) })),
        ],
        receipts: [],
        m: kept(outrunAt(4_005, { options: relativeTo(2_000) })),
      },
      "replaced by a reschedule whose answer was lost": {
        asked: [bounded, moved(100, 5_000, unknown, { notAfter: 6_000 })],
        receipts: [],
        m: kept(outrunAt(6_001, { options: { notAfter: 6_000 } })),
      },
      "kept by a reschedule that was asked first and came second": {
        asked: [
          bounded,
          { ...moved(100, 31_000, shownAt(31_000, { options: laterBound })), answeredAt: 900 },
          {
            ...moved(110, 2_000, shownAt(2_000, { options: relativeTo(2_000) }), {
              notAfterMs: 2_000,
            }),
            answeredAt: 890,
          },
        ],
        receipts: [receipt(31_000)],
        m: kept(delivered(31_000, { options: laterBound }), attempt(31_000)),
      },
      "removed by a reschedule": {
        asked: [bounded, moved(100, 5_000, shownAt(5_000), null)],
        receipts: [receipt(5_000)],
        m: kept(delivered(5_000), attempt(5_000)),
      },
      "a reason to refuse a reschedule": {
        asked: [bounded, moved(100, 3_000, refused("E-DI-1001"))],
        m: kept(delivered(1_000, { options }), attempt(1_000)),
      },
      "ended, and revived by a reschedule with a new one": {
        asked: [
          bounded,
          get(3_100, 3_110, ok(outrunAt(3_001))),
          moved(3_200, 5_000, shownAt(5_000, { options: { notAfter: 5_500 } }), {
            notAfter: 5_500,
          }),
        ],
        receipts: [receipt(5_000)],
        m: kept(delivered(5_000, { options: { notAfter: 5_500 } }), attempt(5_000)),
      },
    }),
  )("%s", (_, history) => {
    expect(titlesOf(history)).toEqual([]);
  });
});

describe("the judge finds a bound that was not kept", () => {
  testBroken({
    "an attempt at the bound": [
      "OPT Options: m has attempt 1 on record, begun 0 ms after its notAfter",
      {
        asked: [bounded],
        receipts: [receipt(3_000)],
        m: kept(delivered(3_000, { options }), attempt(3_000)),
      },
    ],
    "an attempt after the bound that is not on record": [
      "OPT Options: m was attempted 495 ms after its notAfter (attempt 1)",
      { asked: [bounded], receipts: [receipt(3_500)], m: kept(outrunAt(3_600)) },
    ],
    "never ended": [
      "OPT Options: m had not ended 57000 ms after its notAfter, 51000 ms too late",
      {
        asked: [bounded],
        receipts: [],
        m: kept(message({ options })),
        targets: [
          {
            accountId: "acc_a",
            targetId: "t",
            retryPolicy: policy,
            timeoutMs: 5_000,
            mayWait: true,
          },
        ],
      },
    ],
    "ended late": [
      "OPT Options: m ended only 6500 ms after its notAfter, 500 ms too late",
      { asked: [bounded], receipts: [], m: kept(outrunAt(9_500)) },
    ],
    "ended early": [
      'G11 One history: m has a history that no order of its events explains: "DEAD_LETTER in the end" fits nowhere',
      { asked: [bounded], receipts: [], m: kept(outrunAt(2_000)) },
    ],
    "given up for another reason": [
      'G11 One history: m has a history that no order of its events explains: "DEAD_LETTER in the end" fits nowhere',
      { asked: [bounded], receipts: [], m: kept(outrunAt(3_001, { endReason: "REJECTED" })) },
    ],
    "a reschedule refused without a reason": [
      'G11 One history: m has a history that no order of its events explains: "reschedule → refused with E-DI-1001" fits nowhere',
      {
        asked: [bounded, moved(100, 2_000, refused("E-DI-1001"))],
        m: kept(delivered(1_000, { options }), attempt(1_000)),
      },
    ],
    "a reschedule beyond it": [
      'G11 One history: m has a history that no order of its events explains: "reschedule → ok" fits nowhere',
      {
        asked: [bounded, moved(100, 3_500, shownAt(3_500, { options }))],
        receipts: [],
        m: kept(outrunAt(3_600)),
      },
    ],
  });
});

describe("other options", () => {
  const window = { flexWindowMs: 500 };
  const planned = (nextDeliveryTime: number) =>
    schedule({ options: window, answer: shownAt(nextDeliveryTime, { options: window }) });
  const once = { retryPolicy: { ...policy, maxAttempts: 1 } };
  const dead = (shown: Partial<Message> = {}): SmallHistory => ({
    receipts: [receipt(1_000, failed)],
    m: kept(
      message({
        state: "DEAD_LETTER",
        deadLetterTime: 1_012,
        deliveryFailureCount: 1,
        lastDeliveryTime: 1_000,
        options: once,
        ...shown,
      }),
      failedAttempt(1_000),
    ),
  });

  test("a window delays a message, and its own policy decides", () => {
    const inWindow = {
      asked: [planned(1_500)],
      receipts: [receipt(1_500)],
      m: kept(delivered(1_500, { options: window }), attempt(1_500)),
    };
    expect(titlesOf(inWindow)).toEqual([]);
    const asked = [schedule({ options: once, answer: ok(message({ options: once })) })];
    expect(titlesOf({ asked, ...dead() })).toEqual([]);
  });

  testBroken({
    "planned behind its window": [
      "G11 One history: m was acknowledged with an nextDeliveryTime of 1501",
      {
        asked: [planned(1_501)],
        receipts: [receipt(1_501)],
        m: kept(delivered(1_501, { options: window }), attempt(1_501)),
      },
    ],
    "attempted before its place in the window": [
      'G4 Never early: m has an attempt on record that began before it was due (nothing else explains "attempt 1")',
      {
        asked: [planned(1_400)],
        receipts: [receipt(1_200)],
        m: kept(delivered(1_200, { options: window }), attempt(1_200)),
      },
    ],
    "acknowledged without its options": [
      "G11 One history: m was acknowledged with an options of null",
      { asked: [schedule({ options: once })], ...dead() },
    ],
    "shown with other options in the end": [
      "OPT Options: m was shown with other options than it was scheduled with",
      {
        asked: [schedule({ options: once, answer: ok(message({ options: once })) })],
        ...dead({ options: { ...once, labels: { a: "b" } } }),
      },
    ],
  });
});
