import { expect, test } from "vitest";
import { judge } from "./judge.ts";
import { crashAt, waiting } from "./support/familiar-histories.ts";
import {
  cancel,
  cancelled,
  kept,
  message,
  ok,
  receipt,
  reschedule,
  schedule,
  smallHistory,
  unknown,
} from "./support/small-history.ts";

test("a violation includes the story of its message", () => {
  const { violations } = judge(
    smallHistory({
      asked: [schedule(), cancel(900, 1_000, ok(cancelled(950)))],
      receipts: [receipt(1_312)],
      m: kept(cancelled(950)),
      faults: [crashAt(20)],
    }),
  );
  expect(violations[0]!.story).toEqual([
    "       0 ms  schedule for 1000 by w: SCHEDULED, next at 1000, 0 failed, after 10 ms",
    "      20 ms  fault: crash of n1",
    "     900 ms  cancel by w: CANCELLED, next at none, 0 failed, after 100 ms",
    "    1312 ms  attempt 1 reaches the target from n1, ends at 1322 with 204",
    "   60000 ms  in the end: CANCELLED, next at none, 0 failed,",
  ]);
});

test("a history that the judge cannot decide does not pass", () => {
  // Forty lost reschedules to forty times, and a final state that none of them explains.
  const lost = Array.from({ length: 40 }, (_, index) => reschedule(20, 30, 5_000 + index, unknown));
  const { violations } = judge(
    smallHistory({
      ...waiting,
      asked: [schedule(), ...lost],
      m: kept(message({ nextDeliveryTime: 9 })),
    }),
  );
  expect(violations.map(({ title }) => title)).toEqual([
    "G11 One history: m could not be judged: 20000 steps were not enough to order its events",
  ]);
});
