import { expect } from "vitest";
import { expectKept } from "../../history/expect-kept.ts";
import type { Final } from "../../history/history.ts";
import { backlogs } from "./backlog.ts";
import type { Backlog } from "./backlog.ts";
import type { CatchUpRun } from "./catch-up-run.ts";
import { at99, latenessAt } from "../support/lateness.ts";

/**
 * How late a message may be that falls due while others catch up, at the 99th percentile. It has its own
 * share of the places and waits for no backlog, which would take it tens of seconds; but everything that
 * the machine can do is being done, so it waits for its turn in the process and at the receiver.
 */
const newlyDueLateMs = 1_000;
/** With `smallHeap` it is about 370 with the embedded store and 280 for a node, the code included. */
const mostMiB = 500;
/** Between the claim, which spends of the rate, and the start that is on record. */
const handedOverMs = 250;

/** So that what is resident is what is held, and not what was not yet collected. */
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
  // A limit that was never reached would not show that it holds.
  expect(watched.mostAtOnce("narrow")).toBe(4);
  expect(at99(latenessAt("t", asked, receipts))).toBeLessThanOrEqual(newlyDueLateMs);
  for (const each of peakMiB) expect(each).toBeLessThan(mostMiB);
}

/** Between any two starts on record there are no more than the rate lets through in that time. */
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
  // Its rate is what holds it up, and nothing else.
  const idealMs = times.length / perMs;
  expect(times.at(-1)! - times[0]!, targetId).toBeLessThan(2 * idealMs);
}
