import { expect, test } from "vitest";
import { sunny } from "../world/simulated-network.ts";
import type { Arrival } from "../world/simulated-network.ts";
import { namedTargets, startCrowd } from "./start-crowd.ts";

const second = 1_000;

/** For each target, the most attempts that others had between two of its own, ends included. */
function longestWaits(arrivals: readonly Arrival[], targetIds: readonly string[]) {
  const last = new Map(targetIds.map((targetId) => [targetId, -1]));
  const longest = new Map(targetIds.map((targetId) => [targetId, 0]));
  const note = (targetId: string, place: number): void => {
    const waited = place - last.get(targetId)! - 1;
    longest.set(targetId, Math.max(waited, longest.get(targetId)!));
    last.set(targetId, place);
  };
  for (const [place, { targetId }] of arrivals.entries()) note(targetId, place);
  for (const targetId of targetIds) note(targetId, arrivals.length);
  return longest;
}

/**
 * Slow targets, each with more messages than will ever be sent. A target that is skipped gets no attempt at
 * all.
 */
const slow = { ...sunny, slowestMs: 4 * second };

test.each([
  { slots: 8, targets: 20 },
  { slots: 30, targets: 100 },
])(
  "$targets targets share $slots slots for ever, and none is left out",
  { timeout: 60_000 },
  async (sizes) => {
    const crowd = await startCrowd({ maxInFlight: sizes.slots });
    const targets = namedTargets(sizes.targets, "acc_a");
    await crowd.addTargets(targets);
    for (const { targetId } of targets) crowd.setMood(targetId, slow);
    await crowd.schedule(targets, second, 200);
    await crowd.pass(120 * second);
    const ids = targets.map(({ targetId }) => targetId);
    const waits = [...longestWaits(crowd.arrivals, ids).values()];
    // If targets took strict turns, it would be the number of other targets. A target with several slots
    // uses each again.
    expect(Math.max(...waits)).toBeLessThanOrEqual(4 * sizes.targets);
  },
);

test("a newly due target does not go before those that wait for a slot", async () => {
  const crowd = await startCrowd({ maxInFlight: 4 });
  const waiting = namedTargets(20, "acc_a", "waiting");
  const fresh = namedTargets(60, "acc_a", "fresh");
  await crowd.addTargets([...waiting, ...fresh]);
  for (const { targetId } of [...waiting, ...fresh]) crowd.setMood(targetId, slow);
  await crowd.schedule(waiting, second);
  await crowd.pass(2 * second);
  // Another target falls due each time before a slot is free again.
  for (const target of fresh) {
    await crowd.schedule([target], 200);
    await crowd.pass(400);
  }
  const ids = waiting.map(({ targetId }) => targetId);
  const served = new Set(crowd.arrivals.map(({ targetId }) => targetId));
  expect(ids.filter((targetId) => !served.has(targetId))).toEqual([]);
  const places = crowd.arrivals.map(({ targetId }) => targetId);
  const lastWaiting = Math.max(...ids.map((targetId) => places.indexOf(targetId)));
  expect(lastWaiting).toBeLessThanOrEqual(2 * waiting.length);
});
