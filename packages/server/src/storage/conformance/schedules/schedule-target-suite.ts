import { expect, test } from "vitest";
import { someJob } from "../../../domain/testing/some-job.ts";
import { account, entriesOf, note } from "../harness.ts";
import { at, hourly, madeRun, scheduleWorldsOf } from "./schedule-harness.ts";
import type { MakeClockedLocation, ScheduleWorld } from "./schedule-harness.ts";

/** Schedules and the targets that they make messages for. */
export function scheduleTargetSuite(makeLocation: MakeClockedLocation): void {
  const open = scheduleWorldsOf(makeLocation);
  const ref = { accountId: account, targetId: "t" };
  const removal = (jobId: string) => someJob({ jobId, accountId: account, removesTarget: true });

  /** Takes steps of a job until it has ended. */
  async function runJob(world: ScheduleWorld, jobId: string) {
    await world.store.takeJobs(world.holder, 9);
    for (;;) {
      const { holder } = world;
      const [endEntryId, removalEntryId] = [note().entryId, note().entryId];
      const request = { accountId: account, jobId, holder, endEntryId, removalEntryId };
      const step = await world.store.advanceJob(request);
      if (step.kind !== "advanced" || step.idleMs === null) return step;
      await world.pass(Math.max(step.idleMs, 1));
    }
  }

  test("a target with schedules cannot be removed, also if they are paused or have ended", async () => {
    const world = await open();
    await world.create("a");
    await world.create("b", hourly({ maxRuns: 1 }));
    await world.liveUntil(at(14));
    await world.finish();
    await world.pause("a");
    const entries = (await entriesOf(world.store)).length;
    for (const scheduleId of ["a", "b"]) {
      expect(await world.store.removeTarget(ref, note())).toEqual({ kind: "has-schedules" });
      expect(await entriesOf(world.store)).toHaveLength(entries + (scheduleId === "a" ? 0 : 1));
      await world.remove(scheduleId);
    }
    expect(await world.store.removeTarget(ref, note())).toMatchObject({ kind: "removed" });
  });

  test("it can be once its schedules have another target", async () => {
    const world = await open();
    await world.create("a");
    await world.define("a", hourly({ targetId: "other" }));
    expect(await world.store.removeTarget(ref, note())).toMatchObject({ kind: "removed" });
  });

  test("a message of a removed schedule still stands in the way", async () => {
    const world = await open();
    await world.create("a");
    await world.liveUntil(at(13));
    await world.remove("a");
    expect(await world.store.removeTarget(ref, note())).toEqual({ kind: "has-scheduled-messages" });
    await world.finish();
    expect(await world.store.removeTarget(ref, note())).toMatchObject({ kind: "removed" });
  });

  test("a job that would remove it does not begin", async () => {
    const world = await open();
    await world.create("a");
    const entries = (await entriesOf(world.store)).length;
    expect(await world.store.createJob(removal("job_1"), null, note())).toEqual({
      kind: "has-schedules",
    });
    expect(await entriesOf(world.store)).toHaveLength(entries);
    const cancel = someJob({ jobId: "job_2", accountId: account });
    expect(await world.store.createJob(cancel, null, note())).toMatchObject({ kind: "created" });
  });

  test("a job that began before the schedule does not remove it", async () => {
    const world = await open();
    await world.store.createJob(removal("job_1"), null, note());
    await world.create("a");
    expect(await runJob(world, "job_1")).toMatchObject({
      job: { state: "FAILED", stopReason: "TARGET_HAS_MESSAGES" },
      removedTargetKey: null,
    });
    expect(await world.store.getTarget(ref)).toBeDefined();
  });

  test("runs for a paused target are made, and wait", async () => {
    const world = await open();
    await world.create("a");
    await world.store.updateTarget(ref, { paused: true }, null, note());
    await world.liveUntil(at(14));
    expect(await world.runs("a")).toEqual([madeRun(at(14)), madeRun(at(13))]);
    expect(await world.claim()).toEqual([]);
    await world.store.updateTarget(ref, { paused: false }, null, note());
    expect(await world.finish()).toHaveLength(2);
  });
}
