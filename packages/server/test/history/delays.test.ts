import { describe, expect, test } from "vitest";
import { titlesOf, testBroken } from "./support/judged.ts";
import {
  attempt,
  delivered,
  get,
  kept,
  message,
  ok,
  receipt,
  reschedule,
  schedule,
  unknown,
} from "./support/small-history.ts";
import type { SmallHistory } from "./support/small-history.ts";

/** The message of these histories was scheduled at 5 by the store's clock, for 1,000. */
const inTime = { delayMs: 995 };
const delayed = schedule({ dueAt: inTime });
const lost = schedule({ dueAt: inTime, answer: unknown });
const deliveredAt = (at: number): SmallHistory => ({
  receipts: [receipt(at)],
  m: kept(delivered(at), attempt(at)),
});
const movedTo = (nextDeliveryTime: number) => ok(message({ nextDeliveryTime }));

describe("a delay counts from the moment the store takes the call", () => {
  test.each<[string, SmallHistory]>(
    Object.entries({
      "of a schedule": { asked: [delayed] },
      "of a schedule whose answer was lost": { asked: [lost] },
      "of a schedule that was repeated": { asked: [lost, delayed] },
      "of a schedule that nobody saw, and that is removed by now": {
        asked: [lost],
        m: null,
        final: { takenAt: 999_000 },
      },
      "of a reschedule": {
        asked: [schedule(), reschedule(20, 30, { delayMs: 500 }, movedTo(525))],
        ...deliveredAt(525),
      },
      "of a reschedule whose answer was lost": {
        asked: [schedule(), reschedule(20, 30, { delayMs: 500 }, unknown)],
        ...deliveredAt(700),
      },
      "of a reschedule whose answer was lost, as a read shows it": {
        asked: [
          schedule(),
          reschedule(20, 30, { delayMs: 500 }, unknown),
          get(40, 50, movedTo(521)),
        ],
        ...deliveredAt(521),
      },
    }),
  )("%s", (_, history) => {
    expect(titlesOf(history)).toEqual([]);
  });
});

describe("the judge finds a delay that was not kept", () => {
  testBroken({
    "attempted before the delay was over": ["G4", { asked: [delayed], ...deliveredAt(900) }],
    "attempted early, and nobody was told when it was scheduled": [
      "G4",
      { asked: [lost], receipts: [receipt(900)], m: null, final: { takenAt: 999_000 } },
    ],
    "counted from another moment than schedulingTime": [
      "G11",
      { asked: [schedule({ dueAt: { delayMs: 1_000 } })] },
    ],
    "another delay under the same key": [
      "G2",
      { asked: [delayed, schedule({ dueAt: { delayMs: 996 } })] },
    ],
    "made by nobody's delay": [
      "G2",
      { asked: [schedule({ dueAt: { delayMs: 996 }, answer: unknown })] },
    ],
    "rescheduled to a time before the call": [
      "G11",
      {
        asked: [schedule(), reschedule(20, 30, { delayMs: 500 }, movedTo(519))],
        ...deliveredAt(519),
      },
    ],
    "rescheduled to a time after the call": [
      "G11",
      {
        asked: [schedule(), reschedule(20, 30, { delayMs: 500 }, movedTo(531))],
        ...deliveredAt(531),
      },
    ],
    "attempted before the delay of a reschedule was over": [
      "G4",
      {
        asked: [schedule(), reschedule(20, 30, { delayMs: 500 }, movedTo(525))],
        ...deliveredAt(524),
      },
    ],
    "attempted early after a lost reschedule": [
      "G4",
      {
        asked: [schedule(), reschedule(20, 30, { delayMs: 500 }, unknown)],
        ...deliveredAt(519),
      },
    ],
  });
});
