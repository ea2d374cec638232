import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { Cluster } from "../../support/cluster.ts";
import { byMs, shiftingCluster } from "./shifting-cluster.ts";

export interface KilledShiftOptions {
  readonly messages: number;
  /** Until the last kill. The job should not end before. */
  readonly ratePerSecond: number;
  readonly kills: number;
}

/** A kill comes at any moment within a few steps. */
const longestDelayMs = 150;

/**
 * Shifts messages by one job, and kills the node that works on it again and again. The job must go on, and
 * each message must be shifted once.
 */
export async function expectShiftedOnce(
  cluster: Cluster,
  { messages, ratePerSecond, kills }: KilledShiftOptions,
): Promise<void> {
  const shifting = shiftingCluster(cluster);
  const times = await shifting.addMessages("t", messages);
  const jobId = await shifting.beginShift("t", ratePerSecond);
  for (let kill = 1; kill <= kills; kill++) {
    const { done: before } = await shifting.readJob(jobId);
    await shifting.jobThat(jobId, ({ done, state }) => done > before || state === "DONE");
    const runner = await shifting.runnerOf(jobId);
    await sleep(longestDelayMs * Math.random());
    await shifting.replace(runner);
  }
  await shifting.speedUp(jobId);
  const job = await shifting.jobThat(jobId, ({ state }) => state !== "RUNNING");
  expect(job).toMatchObject({
    state: "DONE",
    matched: messages,
    done: messages,
    skipped: { changed: 0, inFlight: 0 },
  });
  expect(shifting.runnersOf(jobId)).toBeGreaterThan(1);
  const wanted = [...times].map(([messageId, time]) => [messageId, time + byMs]);
  expect(await shifting.timesNow("t")).toEqual(new Map(wanted as [string, number][]));
}
