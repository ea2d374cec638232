import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { Cluster } from "../../support/cluster.ts";
import { shiftingCluster } from "./shifting-cluster.ts";
import type { ShiftingCluster, Times, WireJob } from "./shifting-cluster.ts";

export interface StoppedShiftOptions {
  readonly messages: number;
  /** Slow enough that the job cannot end before it is stopped. */
  readonly ratePerSecond: number;
  readonly rounds: number;
}

/**
 * Stops a job at the moment when the node that works on it is killed. After the answer, no message changes,
 * also when other nodes have had every reason to go on with the job.
 */
export async function expectStopped(
  cluster: Cluster,
  { messages, ratePerSecond, rounds }: StoppedShiftOptions,
): Promise<void> {
  const shifting = shiftingCluster(cluster);
  for (let round = 0; round < rounds; round++) {
    const targetId = `stopped-${round}`;
    const before = await shifting.addMessages(targetId, messages);
    const jobId = await shifting.beginShift(targetId, ratePerSecond);
    await shifting.jobThat(jobId, ({ done }) => done > 0);
    const runner = await shifting.runnerOf(jobId);
    const asked = stop(shifting, jobId);
    await sleep(10 * Math.random());
    await shifting.replace(runner);
    // If its node died before it could answer, the caller asks again.
    const stopped = (await asked) ?? (await stop(shifting, jobId));
    expect(stopped).toMatchObject({ state: "STOPPED", stopReason: "REQUESTED" });
    expect(await changedOf(shifting, targetId, before)).toBe(stopped!.done);
    expect(stopped!.done).toBeLessThan(messages);

    const next = `after-${round}`;
    await shifting.addMessages(next, 10);
    const nextJobId = await shifting.beginShift(next, ratePerSecond);
    await shifting.jobThat(nextJobId, ({ state }) => state === "DONE");
    expect(await shifting.readJob(jobId)).toEqual(stopped);
    expect(await changedOf(shifting, targetId, before)).toBe(stopped!.done);
  }
}

/** Undefined: there was no answer. */
async function stop({ alive }: ShiftingCluster, jobId: string): Promise<WireJob | undefined> {
  const { api } = alive.at(-1)!;
  try {
    const { status, body, text } = await api("POST", `/v1/jobs/${jobId}/stop`);
    // A stop that happened without an answer has ended the job.
    if (status === 409) return (await api("GET", `/v1/jobs/${jobId}`)).body as WireJob;
    if (status !== 200) throw new Error(`not stopped: ${status} ${text}`);
    return body as WireJob;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

async function changedOf(
  shifting: ShiftingCluster,
  targetId: string,
  before: Times,
): Promise<number> {
  const now = await shifting.timesNow(targetId);
  return [...before].filter(([messageId, time]) => now.get(messageId) !== time).length;
}
