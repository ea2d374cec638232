import { expect } from "vitest";
import { backfillFilter } from "../../../domain/schedules/steps/backfill-job.ts";
import { isLive } from "../../../domain/job.ts";
import type { Job, JobAction } from "../../../domain/job.ts";
import type { Instant } from "../../../domain/message.ts";
import { account } from "../harness.ts";
import { advanced, expectWhole, newJob, startNote } from "../jobs/job-harness.ts";
import type { Asked } from "../jobs/job-harness.ts";
import { madeRun } from "./schedule-harness.ts";
import type { ScheduleWorld } from "./schedule-harness.ts";

/** A run that a backfill made. */
export const backfilledRun = (runTime: Instant): unknown =>
  madeRun(runTime, { trigger: "BACKFILL" });

/** The same without a message. */
export const unmadeByBackfill = (runTime: Instant, reason: string): unknown => ({
  ...{ runTime, trigger: "BACKFILL", outcome: "SKIPPED", reason },
  ...{ messageId: null, messageState: null },
});

/** Creates a job, which the world's node holds. */
export async function startJobIn({ store, holder }: ScheduleWorld, asked: Asked): Promise<Job> {
  const order = newJob(asked);
  const result = await store.createJob(order, null, startNote(order));
  if (result.kind !== "created") throw new Error(result.kind);
  await store.takeJobs(holder, 100);
  return result.job;
}

export function startBackfill(
  world: ScheduleWorld,
  scheduleId: string,
  [from, until]: readonly [Instant, Instant],
  asked: Asked = {},
): Promise<Job> {
  const targetId = asked.filter?.targetId ?? "t";
  const filter = backfillFilter({ scheduleId, targetId }, { from, until });
  const action: JobAction = "backfill";
  return startJobIn(world, { action, accountId: account, ...asked, filter });
}

/** Takes one step after the other until the job has ended. The clock moves only while it waits for its rate. */
export async function runInWorld(world: ScheduleWorld, job: Job): Promise<Job> {
  for (;;) {
    const { job: after, idleMs } = await advanced(world.store, world.holder, job);
    if (!isLive(after.state)) {
      expectWhole(after);
      return after;
    }
    if (idleMs! > 0) await world.pass(Math.ceil(idleMs!));
  }
}

/** Starts a backfill and runs it to its end. */
export async function backfill(
  world: ScheduleWorld,
  scheduleId: string,
  span: readonly [Instant, Instant],
): Promise<Job> {
  const job = await runInWorld(world, await startBackfill(world, scheduleId, span));
  expect(job).toMatchObject({ state: "DONE", stopReason: null });
  return job;
}
