import { expect } from "vitest";
import { expectKept } from "../../history/expect-kept.ts";
import type { Final } from "../../history/history.ts";
import { backlogs } from "./backlog.ts";
import type { Backlog } from "./backlog.ts";
import type { CatchUpRun } from "./catch-up-run.ts";
import { at99, latenessAt } from "../support/lateness.ts";

/**
 * How late a message may be that falls due while others catch up, at the 99th percentile. It has its own
 * share of the capacity and does not wait for the backlog, which takes tens of seconds. But the machine is
 * fully loaded, so the message waits in the process and at the receiver.
 */
const newlyDueLateMs = 1_000;
/** With `smallHeap`, the embedded store needs about 370 and a node about 280, including the code. */
const mostMiB = 500;
/** The time between the claim, which spends from the rate, and the recorded start. */
const handedOverMs = 250;

/** Keeps the young generation small, so that resident memory is memory in use and not garbage. */
export const smallHeap = "--max-semi-space-size=8";

/** G15, and each message exactly once. */
export function expectCaughtUp({ history, watched, peakMiB }: CatchUpRun): void {
  const { receipts, asked } = history;
  const { duplicates } = expectKept(history);
  expect(duplicates).toBe(0);
  expect(receipts).toHaveLength(asked.length);
  expect(new Set(receipts.map(({ messageId }) => messageId)).size).toBe(asked.length);
  const receiptsOf = Map.groupBy(receipts, ({ targetId }) => targetId);
  for (const backlog of backlogs) {
    const { targetId, messages, maxConcurrency } = backlog;
    const own = receiptsOf.get(targetId) ?? [];
    expect(own, targetId).toHaveLength(messages);
    expectPaced(backlog, history.final);
    expect(watched.mostAtOnce(targetId), targetId).toBeLessThanOrEqual(maxConcurrency);
  }
  // Without reaching the limit, the run would not show that the limit holds.
  expect(watched.mostAtOnce("narrow")).toBe(4);
  expect(at99(latenessAt("t", asked, receipts))).toBeLessThanOrEqual(newlyDueLateMs);
  for (const each of peakMiB) expect(each).toBeLessThan(mostMiB);
}

/** Between any two recorded starts there are no more starts than the rate allows in that time. */
function expectPaced({ targetId, messages, rateLimit }: Backlog, final: Final): void {
  if (rateLimit === null) return;
  const times = [...final.messages.values()]
    .flatMap((kept) => (kept?.message.targetId === targetId ? kept.attempts : []))
    .map(({ startTime }) => startTime)
    .toSorted((one, other) => one - other);
  expect(times, targetId).toHaveLength(messages);
  const perMs = rateLimit.max / rateLimit.intervalMs;
  let most = -Infinity;
  for (const [first, from] of times.entries()) {
    for (let last = first; last < times.length; last++) {
      const allowed = rateLimit.max + (times[last]! - from + handedOverMs) * perMs;
      most = Math.max(most, last - first + 1 - allowed);
    }
  }
  expect(most, `${targetId} above its rate`).toBeLessThanOrEqual(0);
  // Only its rate slows it down.
  const idealMs = times.length / perMs;
  expect(times.at(-1)! - times[0]!, targetId).toBeLessThan(2 * idealMs);
}
