import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { Cluster } from "../../support/cluster.ts";
import { shiftingCluster } from "./shifting-cluster.ts";
import type { ShiftingCluster } from "./shifting-cluster.ts";

export interface KilledBackfillOptions {
  readonly runs: number;
  /** Until the last kill. The job should not end before. */
  readonly ratePerSecond: number;
  readonly kills: number;
}

/** A kill comes at any moment within a few steps. */
const longestDelayMs = 150;
const targetId = "backfilled";
const scheduleId = "each-minute";
const first = Date.parse("2026-01-01T00:00:00Z");
const minute = 60_000;

/**
 * Makes the runs of times that are past by one job, and kills the node that works on it again and again. The job must
 * go on, and each run time must get one message.
 */
export async function expectBackfilledOnce(
  cluster: Cluster,
  { runs, ratePerSecond, kills }: KilledBackfillOptions,
): Promise<void> {
  const nodes = shiftingCluster(cluster);
  await addPausedSchedule(nodes, cluster.receiver.url);
  const last = first + (runs - 1) * minute;
  const span = { from: new Date(first).toISOString(), to: new Date(last).toISOString() };
  const { jobId } = await post(nodes, `/v1/schedules/${scheduleId}/backfill`, {
    ...{ ...span, ratePerSecond },
  });
  for (let kill = 1; kill <= kills; kill++) {
    const { done: before } = await nodes.readJob(jobId);
    await nodes.jobThat(jobId, ({ done, state }) => done > before || state === "DONE");
    const runner = await nodes.runnerOf(jobId);
    await sleep(longestDelayMs * Math.random());
    await nodes.replace(runner);
  }
  await nodes.speedUp(jobId);
  const job = await nodes.jobThat(jobId, ({ state }) => state !== "RUNNING");
  const skipped = { changed: 0, inFlight: 0 };
  expect(job).toMatchObject({ state: "DONE", matched: runs, done: runs, skipped });
  expect(nodes.runnersOf(jobId)).toBeGreaterThan(1);
  const times = [...(await nodes.timesNow(targetId)).values()].toSorted((a, b) => a - b);
  expect(times).toEqual(Array.from({ length: runs }, (_, index) => first + index * minute));
}

/** A schedule that makes nothing by time, for a target that delivers nothing. */
async function addPausedSchedule(nodes: ShiftingCluster, url: string): Promise<void> {
  await post(nodes, "/v1/targets", { targetId, url, paused: true });
  const schedule = { scheduleId, targetId, payload: "hello", cron: "* * * * *" };
  await post(nodes, "/v1/schedules", schedule);
  await post(nodes, `/v1/schedules/${scheduleId}/pause`);
}

async function post({ alive }: ShiftingCluster, path: string, body?: object) {
  const answer = await alive.at(-1)!.api("POST", path, body === undefined ? {} : { body });
  if (answer.status >= 300) throw new Error(`refused: ${answer.status} ${answer.text}`);
  return answer.body;
}
