import { expect, test } from "vitest";
import { sunny } from "../world/simulated-network.ts";
import type { Arrival } from "../world/simulated-network.ts";
import { namedTargets, startCrowd } from "./start-crowd.ts";

const second = 1_000;

/** For each target, how many others were served at most between two of its own turns, ends included. */
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

/** Slow, and each with more waiting than will ever be sent: whoever is left out is never asked. */
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
    // In turn it would be as many as there are others; one that holds several slots uses each again.
    expect(Math.max(...waits)).toBeLessThanOrEqual(4 * sizes.targets);
  },
);

test("whoever is newly due does not go before those that wait for a slot", async () => {
  const crowd = await startCrowd({ maxInFlight: 4 });
  const waiting = namedTargets(20, "acc_a", "waiting");
  const fresh = namedTargets(60, "acc_a", "fresh");
  await crowd.addTargets([...waiting, ...fresh]);
  for (const { targetId } of [...waiting, ...fresh]) crowd.setMood(targetId, slow);
  await crowd.schedule(waiting, second);
  await crowd.pass(2 * second);
  // One more falls due before a slot is free again, and so it goes on.
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
