import { expect, test } from "vitest";
import { expectKept } from "./expect-kept.ts";
import type { Expectations, History } from "./history.ts";
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
  reschedule,
  schedule,
  smallHistory,
  unknown,
} from "./support/small-history.ts";

/**
 * A history with one of everything: a message is cancelled and scheduled again, then its node dies with it.
 */
function eventful(expects: Partial<Expectations>): History {
  return smallHistory({
    asked: [
      schedule(),
      cancel(20, 30, ok(cancelled(25))),
      reschedule(40, 50, 1_000, ok(message())),
      get(60, 70, unknown),
    ],
    faults: [{ kind: "crash", node: "n1", at: 1_005, backAt: null }],
    receipts: [receipt(1_000, { endedAt: 1_006, status: null }), receipt(12_000, { node: "n2" })],
    m: kept(delivered(12_000), attempt(12_000)),
    expects: {
      schedules: 1,
      cancels: 1,
      reschedules: 1,
      unknowns: 1,
      receipts: 2,
      takeovers: 1,
      ...expects,
    },
  });
}

test("a run that kept its promises and did enough passes", () => {
  expect(expectKept(eventful({}))).toMatchObject({ violations: [], duplicates: 1, takeovers: 1 });
});

test.each(["schedules", "cancels", "reschedules", "unknowns", "receipts", "takeovers"])(
  "a run with too few %s proves nothing",
  (what) => {
    expect(() => expectKept(eventful({ [what]: 3 }))).toThrow(`${what}, at least 3 were expected`);
  },
);

test("a run without a message proves nothing", () => {
  const empty = smallHistory({ asked: [], receipts: [], m: undefined });
  expect(() => expectKept(empty)).toThrow("0 schedules, at least 1 were expected");
});

test("a broken promise is reported with its story", () => {
  const broken = smallHistory({ receipts: [receipt(999)] });
  expect(() => expectKept(broken)).toThrow(
    /G4 Never early: m was attempted 1 ms before it was due \(attempt 1\)\n.*schedule for 1000 by w/,
  );
});
