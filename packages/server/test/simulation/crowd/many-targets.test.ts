import { expect, test } from "vitest";
import { completeRetryPolicy } from "../../../src/operations/retry-policies/complete-retry-policy.ts";
import { sunny } from "../world/simulated-network.ts";
import { namedTargets, startCrowd } from "./start-crowd.ts";
import type { Crowd, CrowdTarget } from "./start-crowd.ts";

const minute = 60_000;
const hangs = { ...sunny, delivers: 0, hangs: 1 };
const once = completeRetryPolicy({ maxAttempts: 1 });

/** The targets with at least one attempt among those after the first `from`. */
function served({ arrivals }: Crowd, from = 0): Set<string> {
  return new Set(arrivals.slice(from).map(({ targetId }) => targetId));
}

function idsOf(targets: readonly CrowdTarget[]): Set<string> {
  return new Set(targets.map(({ targetId }) => targetId));
}

test(
  "12,000 targets that are due at one instant are all served",
  { timeout: 180_000 },
  async () => {
    const crowd = await startCrowd();
    const targets = namedTargets(12_000, "acc_a");
    await crowd.addTargets(targets);
    await crowd.schedule(targets, minute);
    await crowd.pass(2 * minute);
    expect(served(crowd).size).toBe(targets.length);
    expect(crowd.arrivals).toHaveLength(targets.length);
    expect(crowd.loads).toBeLessThanOrEqual(2 * targets.length);
  },
);

test(
  "after 10,000 targets have timed out, two that are due are served",
  { timeout: 180_000 },
  async () => {
    const crowd = await startCrowd({ maxInFlight: 5_000 });
    const settings = { retryPolicy: once };
    const silent = namedTargets(10_000, "acc_a").map((target) => ({
      ...target,
      timeoutMs: 1_000,
      settings,
    }));
    const due = namedTargets(2, "acc_b", "due");
    await crowd.addTargets([...silent, ...due]);
    for (const { targetId } of silent) crowd.setMood(targetId, hangs);
    for (let from = 0; from < silent.length; from += 1_000) {
      await crowd.schedule(silent.slice(from, from + 1_000), 100);
      await crowd.pass(5_000);
    }
    expect(crowd.arrivals).toHaveLength(silent.length);
    const before = { loads: crowd.loads, arrivals: crowd.arrivals.length };
    await crowd.schedule(due, 1_000);
    await crowd.pass(minute);
    expect(served(crowd, before.arrivals)).toEqual(idsOf(due));
    expect(crowd.loads - before.loads).toBeLessThanOrEqual(10);
  },
);

test("the ten due targets of 100,000 are served", { timeout: 180_000 }, async () => {
  const crowd = await startCrowd();
  const targets = namedTargets(100_000, "acc_a");
  await crowd.addTargets(targets);
  const due = targets.filter((_, index) => index % 10_000 === 0);
  const later = targets.filter((_, index) => index % 10_000 !== 0);
  await crowd.schedule(later, 60 * minute);
  await crowd.schedule(due, minute);
  await crowd.pass(2 * minute);
  expect(served(crowd)).toEqual(idsOf(due));
  expect(crowd.loads).toBeLessThanOrEqual(2 * due.length);
});
