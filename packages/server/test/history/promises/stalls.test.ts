import { expect, test } from "vitest";
import type { Fault } from "../faults.ts";
import type { ClockStep, Pace } from "../history.ts";
import { judge } from "../judge.ts";
import {
  accountId,
  attempt,
  delivered,
  kept,
  message,
  ok,
  policy,
  receipt,
  schedule,
  smallHistory,
} from "../support/small-history.ts";

interface Parts {
  readonly pace?: readonly Pace[];
  readonly clockSteps?: readonly ClockStep[];
  readonly faults?: readonly Fault[];
}

/**
 * The violations among messages to one target. Each has its due time and its attempt, by the observers'
 * clock.
 */
function titles(messages: readonly [dueAt: number, startedAt: number][], parts: Parts = {}) {
  const { pace = [{ from: -Infinity, gapMs: 0 }], clockSteps = [], faults = [] } = parts;
  const named = messages.map(([dueAt, startedAt], index) => ({
    messageId: `m${index}`,
    dueAt,
    startedAt,
  }));
  const history = smallHistory({
    asked: named.map(({ messageId, dueAt }) =>
      schedule({ key: messageId, dueAt, answer: ok(message({ messageId, ...planned(dueAt) })) }),
    ),
    receipts: named.map(({ messageId, startedAt }) =>
      receipt(startedAt, { messageId, webhookId: messageId }),
    ),
    m: undefined,
    others: Object.fromEntries(
      named.map(({ messageId, dueAt, startedAt }) => {
        // A message that was claimed before a step starts no earlier than its claim.
        const at = Math.max(shown(startedAt, clockSteps), dueAt);
        const { originalDeliveryTime } = planned(dueAt);
        return [messageId, kept(delivered(at, { messageId, originalDeliveryTime }), attempt(at))];
      }),
    ),
    targets: [{ accountId, targetId: "t", retryPolicy: policy, timeoutMs: 5_000, pace }],
    faults,
    clockSteps,
    final: { takenAt: Math.max(...named.map(({ startedAt }) => startedAt)) + 500 },
    bounds: { clockUncertaintyMs: Math.max(0, ...clockSteps.map(({ byMs }) => Math.abs(byMs))) },
  });
  return judge(history).violations.map(({ title }) => title);
}

const planned = (dueAt: number) => ({ originalDeliveryTime: dueAt, nextDeliveryTime: dueAt });

function shown(at: number, steps: readonly ClockStep[]): number {
  return steps.reduce((sum, step) => (step.at <= at ? sum + step.byMs : sum), at);
}

test("a due message is attempted within three seconds, unless its target is busy", () => {
  expect(titles([[1_000, 4_000]])).toEqual([]);
  expect(titles([[1_000, 4_001]])).toEqual([
    "G15 Catch-up: m0 lay there due for 3001 ms, with nothing under way at its target, 1 ms too long",
  ]);
  expect(
    titles([
      [1_000, 3_000],
      [1_000, 6_000],
    ]),
  ).toEqual([]);
});

test("a backlog keeps the pace that its limits allow, from the instant they allow it", () => {
  const slow: Pace = { from: -Infinity, gapMs: 10_000 };
  expect(titles([[1_000, 14_000]], { pace: [slow] })).toEqual([]);
  expect(titles([[1_000, 14_001]], { pace: [slow] })).toHaveLength(1);
  const closed: Pace = { from: -Infinity, gapMs: Infinity };
  expect(titles([[1_000, 60_000]], { pace: [closed] })).toEqual([]);
  const raised = [closed, { from: 50_000, gapMs: 0 }];
  expect(titles([[1_000, 53_000]], { pace: raised })).toEqual([]);
  expect(titles([[1_000, 53_001]], { pace: raised })).toHaveLength(1);
});

test("a clock that is set back delays only messages that it no longer shows as due", () => {
  const clockSteps = [{ at: 2_000, byMs: -60_000 }];
  // Due at 1,500, and due again when the clock reaches that time again.
  expect(titles([[1_500, 64_500]], { clockSteps })).toEqual([]);
  expect(titles([[1_500, 64_501]], { clockSteps })).toEqual([
    "G13 Clocks: m0 lay there due for 3001 ms, with nothing under way at its target, 1 ms too long after the clock was set",
  ]);
  // Due long before, so it stays due all the time.
  expect(titles([[-59_000, 5_000]], { clockSteps })).toEqual([]);
  expect(titles([[-59_000, 5_001]], { clockSteps })).toHaveLength(1);
});

test("a clock that is set forward makes messages due", () => {
  const clockSteps = [{ at: 2_000, byMs: 60_000 }];
  expect(titles([[40_000, 5_000]], { clockSteps })).toEqual([]);
  expect(titles([[40_000, 5_001]], { clockSteps })).toHaveLength(1);
});

test("a message is not early if it was due by the clock when it was claimed", () => {
  const clockSteps = [{ at: 2_000, byMs: -60_000 }];
  expect(titles([[1_999, 2_004]], { clockSteps })).toEqual([]);
  expect(titles([[1_999, 2_100]], { clockSteps })).toEqual([
    "G4 Never early: m0 was attempted 59899 ms before it was due (attempt 1)",
  ]);
});

test("a fault is an excuse for as long as the recovery may take", () => {
  const store = { kind: "store", node: null, at: 1_000, until: 1_500, commit: "before" } as const;
  expect(titles([[1_000, 20_000]], { faults: [store] })).toEqual([]);
});
