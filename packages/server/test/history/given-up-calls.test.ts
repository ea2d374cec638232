import { describe, expect, test } from "vitest";
import type { StatementFault } from "./faults.ts";
import { again, nothing, retried } from "./support/familiar-histories.ts";
import { testBroken, titlesOf } from "./support/judged.ts";
import {
  attempt,
  cancel,
  cancelled,
  delivered,
  failedAttempt,
  kept,
  message,
  receipt,
  refused,
  reschedule,
  schedule,
  unknown,
} from "./support/small-history.ts";
import type { SmallHistory } from "./support/small-history.ts";

const givenUp = { kind: "unknown", isGivenUp: true } as const;
const waitMs = { changeWaitMs: 500 };

/** A cancellation that waits for an attempt until its bound, at which the attempt fails. */
const failedAtTheBound = cancelled(1_520, { deliveryFailureCount: 1, lastDeliveryTime: 1_000 });
const atTheBound: SmallHistory = {
  asked: [schedule(), cancel(1_015, 1_520, refused("E-DI-5003"))],
  receipts: [receipt(1_000, { endedAt: 1_515, status: 500 })],
  bounds: waitMs,
};

/**
 * The message failed once and was rescheduled. Then a cancellation from before the reschedule took effect.
 */
const cancelledLate = (lost: typeof unknown | typeof givenUp): SmallHistory => ({
  ...nothing,
  asked: [schedule(), cancel(20, 30, lost), reschedule(40, 50, 5_000)],
  m: kept(cancelled(700)),
});

describe("G18: refused, or given up", () => {
  testBroken({
    "a refused cancellation that happened": [
      "G18 Refusals: m was changed by a call that was refused",
      {
        ...nothing,
        asked: [schedule(), cancel(20, 30, refused("E-DI-2003"))],
        m: kept(cancelled(25)),
      },
    ],
    "a cancellation that was refused at its bound, and happened": [
      "G18 Refusals: m was changed by a call that was refused",
      { ...atTheBound, m: kept(failedAtTheBound, failedAttempt(1_000, { endTime: 1_515 })) },
    ],
    "a reschedule that was refused at its bound, and happened": [
      "G18 Refusals: m was changed by a call that was refused",
      {
        ...atTheBound,
        asked: [schedule(), reschedule(1_015, 1_520, 1_600, refused("E-DI-5006"))],
        receipts: [
          receipt(1_000, { endedAt: 1_515, status: 500 }),
          receipt(1_600, { attemptNumber: 2 }),
        ],
        m: kept(
          delivered(1_600, { deliveryFailureCount: 1 }),
          failedAttempt(1_000, { endTime: 1_515 }),
          attempt(1_600, { number: 2 }),
        ),
      },
    ],
    "a cancellation that was given up, after a reschedule had been acknowledged": [
      "G18 Refusals: m was changed by a call that had been given up, after another had been decided",
      cancelledLate(givenUp),
    ],
  });

  const keeping: Record<string, SmallHistory> = {
    "a cancellation that was refused at its bound, and did not happen": {
      ...atTheBound,
      receipts: [
        receipt(1_000, { endedAt: 1_515, status: 500 }),
        receipt(2_030, { attemptNumber: 2 }),
      ],
      m: kept(
        delivered(2_030, { deliveryFailureCount: 1 }),
        failedAttempt(1_000, { endTime: 1_515 }),
        attempt(2_030, { number: 2 }),
      ),
    },
    "a cancellation without an answer, which may still happen": cancelledLate(unknown),
    "a cancellation that was given up, and happened before anything else was decided": {
      ...nothing,
      asked: [schedule(), cancel(20, 30, givenUp)],
      m: kept(cancelled(700)),
    },
    "a cancellation that was given up, and came before the reschedule": {
      asked: [schedule(), cancel(20, 30, givenUp), reschedule(40, 50, 5_000)],
      receipts: [receipt(5_000)],
      m: kept(delivered(5_000), attempt(5_000)),
    },
  };
  test.each(Object.entries(keeping))("not broken: %s", (_, parts) => {
    expect(titlesOf(parts)).toEqual([]);
  });
});

const late = (statement: string, keepsAlive: boolean): StatementFault => ({
  kind: "statement",
  node: "n1",
  at: 1_001,
  until: 11_000,
  statement,
  keepsAlive,
});

describe("one statement that came late", () => {
  testBroken({
    "excuses no second attempt at once": [
      "G6 One at a time: m was attempted twice at once for 10 ms (attempts 2 and 2)",
      {
        ...retried,
        receipts: [
          receipt(1_000, { status: 500 }),
          receipt(10_900, { attemptNumber: 2, endedAt: 11_200 }),
          receipt(11_050, { attemptNumber: 2 }),
        ],
        faults: [late("record-attempts", false)],
      },
    ],
    "excuses no lost membership": [
      "G6 One at a time: the membership of n1 was ended at 9000, though nothing had happened to it",
      {
        faults: [late("record-attempts", false), { kind: "takeover", node: "n1", at: 9_000 }],
      },
    ],
  });

  const excused: Record<string, SmallHistory> = {
    "an outcome that is on record late": {
      receipts: [receipt(1_000)],
      m: kept(message()),
      faults: [late("record-attempts", false)],
      final: { takenAt: 11_050 },
    },
    "a membership that depended on it": {
      ...again(12_000),
      faults: [late("renew-node", true), { kind: "takeover", node: "n1", at: 11_500 }],
      receipts: [receipt(1_000, { endedAt: 1_006, status: null }), receipt(12_000, { node: "n2" })],
    },
  };
  test.each(Object.entries(excused))("excuses %s", (_, parts) => {
    expect(titlesOf(parts)).toEqual([]);
  });
});
