import { describe, expect, test } from "vitest";
import type { BackfillLook } from "../../store.ts";
import { account, hour, limitMessages, note, otherAccount } from "../harness.ts";
import { advanced, create, refOf as jobRef, stop } from "../jobs/job-harness.ts";
import {
  backfill,
  backfilledRun,
  runInWorld,
  startBackfill,
  unmadeByBackfill,
} from "./backfill-harness.ts";
import {
  at,
  every,
  hourly,
  madeRun,
  minute,
  missedRun,
  noon,
  refOf,
  scheduleWorldsOf,
  second,
  skippedRun,
} from "./schedule-harness.ts";
import type { MakeClockedLocation, ScheduleWorld } from "./schedule-harness.ts";

/** Jobs that make the runs of times that are past. */
export function scheduleBackfillSuite(makeLocation: MakeClockedLocation): void {
  const open = scheduleWorldsOf(makeLocation);
  const never = { mode: "none", windowMs: 24 * hour } as const;

  /** Its runs of 13:00 and 14:00 were missed, that of 15:00 was made. The clock shows 15:30. */
  async function openAfterGap(): Promise<ScheduleWorld> {
    const world = await open();
    await world.create("a", hourly({ catchUp: never }));
    await world.goTo(at(14, 30));
    await world.advance();
    await world.liveUntil(at(15, 30));
    return world;
  }

  describe("which runs", () => {
    test("each run time in the span has its run, due at once, with the schedule's content", async () => {
      const world = await open();
      const message = { labels: { kind: "digest" } };
      await world.create("a", hourly({ message, payload: "tock", flexWindowMs: 60 * minute }));
      const job = await startBackfill(world, "a", [at(8), at(11)]);
      const {
        job: after,
        planned,
        nextBound,
        idleMs,
      } = await advanced(...[world.store, world.holder, job]);
      expect(after).toMatchObject({ state: "DONE", matched: 4, done: 4, stopReason: null });
      expect(after.skipped).toEqual({ changed: 0, inFlight: 0 });
      expect(planned).toEqual([
        expect.objectContaining({ targetKey: world.targetKey, dueAt: noon }),
      ]);
      expect({ nextBound, idleMs }).toEqual({ nextBound: null, idleMs: null });
      const times = [at(8), at(9), at(10), at(11)];
      expect(await world.runs("a")).toEqual(times.toReversed().map(backfilledRun));
      const messages = await world.messages("a");
      expect(messages).toEqual(
        times.map((runTime) =>
          expect.objectContaining({
            ...{ targetId: "t", originalDeliveryTime: noon, nextDeliveryTime: noon },
            options: { ...message, schedule: { scheduleId: "a", runTime } },
          }),
        ),
      );
      const claims = await world.claim();
      expect(claims.map(({ payload }) => payload)).toEqual(["tock", "tock", "tock", "tock"]);
    });

    test("what was missed or skipped is made, and what was made is left out", async () => {
      const world = await openAfterGap();
      await world.change("a", { kind: "skip", time: at(16) });
      await world.liveUntil(at(16, 30));
      expect(await world.runs("a")).toEqual([
        ...[skippedRun(at(16), "REQUESTED"), madeRun(at(15))],
        ...[missedRun(at(14), "NOT_CAUGHT_UP"), missedRun(at(13), "NOT_CAUGHT_UP")],
      ]);
      const job = await backfill(world, "a", [at(13), at(16, 30)]);
      expect(job).toMatchObject({ matched: 3, done: 3 });
      expect(await world.runs("a")).toEqual([
        ...[backfilledRun(at(16)), madeRun(at(15))],
        ...[backfilledRun(at(14)), backfilledRun(at(13))],
      ]);
      const again = await backfill(world, "a", [at(13), at(16, 30)]);
      expect(again).toMatchObject({ matched: 0, done: 0 });
      expect(await world.finish()).toHaveLength(4);
    });

    test("both ends of the span are in it", async () => {
      const world = await openAfterGap();
      await backfill(world, "a", [at(13), at(14)]);
      await backfill(world, "a", [at(10) + 1, at(12) - 1]);
      expect((await world.runs("a")).map(({ runTime }) => runTime)).toEqual([
        ...[at(15), at(14), at(13), at(11)],
      ]);
    });

    test("what is not decided yet is left to its time", async () => {
      const world = await open();
      await world.create("a");
      await world.goTo(at(14, 30));
      expect(await backfill(world, "a", [at(12), at(14, 30)])).toMatchObject({ done: 1 });
      await world.advance();
      expect(await world.runs("a")).toEqual([
        madeRun(at(14), { trigger: "CATCH_UP" }),
        missedRun(at(13), "NOT_CAUGHT_UP"),
        backfilledRun(at(12)),
      ]);
    });

    test("what passed while the schedule was paused is made, also during the pause", async () => {
      const world = await open();
      await world.create("a");
      await world.pause("a", at(16, 30));
      await world.goTo(at(14, 30));
      expect(await backfill(world, "a", [at(13), at(14, 30)])).toMatchObject({ done: 2 });
      await world.goTo(at(16, 29));
      await world.liveUntil(at(17));
      expect(await backfill(world, "a", [at(13), at(17)])).toMatchObject({ done: 2 });
      expect(await world.runs("a")).toEqual([
        ...[madeRun(at(17)), backfilledRun(at(16)), backfilledRun(at(15))],
        ...[backfilledRun(at(14)), backfilledRun(at(13))],
      ]);
    });

    test("what passed since dead letters paused the schedule is made, also during the pause", async () => {
      const world = await open();
      await world.create("a", hourly({ pauseAfterDeadLetters: 1 }));
      await world.liveUntil(at(13));
      await world.finish("dead");
      await world.goTo(at(13, 30));
      expect(await world.judge()).toEqual(["a"]);
      await world.goTo(at(15, 30));
      expect(await backfill(world, "a", [at(13), at(15, 30)])).toMatchObject({ done: 2 });
      await world.resume("a");
      await world.liveUntil(at(16));
      expect(await world.runs("a")).toEqual([
        ...[madeRun(at(16)), backfilledRun(at(15)), backfilledRun(at(14))],
        madeRun(at(13), { messageState: "DEAD_LETTER" }),
      ]);
    });

    test("what was made during the pause does not come again, also if the clock was set back", async () => {
      const world = await open();
      await world.create("a");
      await world.pause("a", null);
      await world.goTo(at(14, 30));
      expect(await backfill(world, "a", [at(13), at(14, 30)])).toMatchObject({ done: 2 });
      await world.goTo(at(12, 30));
      await world.resume("a");
      await world.liveUntil(at(15));
      expect(await world.runs("a")).toEqual([
        ...[madeRun(at(15)), backfilledRun(at(14)), backfilledRun(at(13))],
      ]);
      expect(await world.finish()).toHaveLength(3);
    });

    test("a run that is no longer on record is made again", async () => {
      const world = await open({ retentionMs: hour });
      await world.create("a");
      await world.liveUntil(at(13));
      await world.finish();
      await world.goTo(at(13, 59));
      expect(await backfill(world, "a", [at(13), at(13)])).toMatchObject({ done: 0 });
      await world.goTo(at(14));
      expect(await backfill(world, "a", [at(13), at(13)])).toMatchObject({ done: 1 });
    });

    test("a run that has not been made for want of quota is on record", async () => {
      const world = await openAfterGap();
      const { used } = (await world.store.getUsage(account))!;
      await limitMessages(world.store, account, used + 1);
      const job = await backfill(world, "a", [at(12), at(15, 30)]);
      expect(job).toMatchObject({ matched: 3, done: 1, skipped: { changed: 2, inFlight: 0 } });
      expect(await world.runs("a")).toEqual([
        ...[madeRun(at(15)), unmadeByBackfill(at(14), "E-DI-5005")],
        ...[unmadeByBackfill(at(13), "E-DI-5005"), backfilledRun(at(12))],
      ]);
      expect(await world.store.getUsage(account)).toMatchObject({ used: used + 1 });
      await limitMessages(world.store, account, null);
      expect(await backfill(world, "a", [at(12), at(15, 30)])).toMatchObject({ done: 2 });
    });

    test("the bound of its messages counts from when they are made, however old the run time is", async () => {
      const world = await open();
      await world.create("a", hourly({ message: { notAfterMs: minute } }));
      const job = await startBackfill(world, "a", [at(10), at(11)]);
      const { job: after, nextBound } = await advanced(world.store, world.holder, job);
      expect(after).toMatchObject({ state: "DONE", matched: 2, done: 2 });
      expect(nextBound).toBe(noon + minute);
      expect(await world.runs("a")).toEqual([backfilledRun(at(11)), backfilledRun(at(10))]);
    });
  });

  describe("the schedule", () => {
    test("counts it neither for maxRuns nor for overlap, and goes on as before", async () => {
      const world = await open();
      await world.create("a", hourly({ maxRuns: 1, overlap: "skip" }));
      const before = await world.schedule("a");
      expect(await backfill(world, "a", [at(9), at(11)])).toMatchObject({ done: 3 });
      expect(await world.schedule("a")).toEqual({ ...before, lastRun: backfilledRun(at(11)) });
      await world.liveUntil(at(15));
      expect((await world.runs("a"))[0]).toEqual(madeRun(at(13)));
      expect(await world.schedule("a")).toMatchObject({
        ...{ nextRunTime: null, lastRun: madeRun(at(13)) },
      });
      await backfill(world, "a", [at(8), at(8)]);
      expect(await world.schedule("a")).toMatchObject({ lastRun: madeRun(at(13)) });
    });

    test("is not paused because its messages become dead letters", async () => {
      const world = await open();
      await world.create("a", hourly({ pauseAfterDeadLetters: 2 }));
      await backfill(world, "a", [at(8), at(11)]);
      await world.change("a", { kind: "trigger" });
      expect(await world.finish("dead")).toHaveLength(5);
      expect(await world.judge()).toEqual([]);
      expect((await world.schedule("a")).progress.deadLettersInARow).toBe(0);
    });

    test("shows as its last run what has taken the place of it", async () => {
      const world = await open();
      await world.create("a", hourly({ catchUp: never }));
      await world.goTo(at(13, 30));
      await world.advance();
      expect(await world.schedule("a")).toMatchObject({
        lastRun: missedRun(at(13), "NOT_CAUGHT_UP"),
      });
      await backfill(world, "a", [at(13), at(13)]);
      expect(await world.schedule("a")).toMatchObject({ lastRun: backfilledRun(at(13)) });
    });

    test("is taken as it is at each step", async () => {
      const world = await open();
      await world.create("a", every(second, { startTime: noon - hour }));
      const job = await startBackfill(world, "a", [noon - hour, noon - minute]);
      const first = await advanced(world.store, world.holder, job);
      expect(first.job.done).toBe(200);
      const startTime = noon - hour;
      await world.define("a", every(minute, { startTime, targetId: "other", payload: "new" }));
      // Nothing but schedules holds a target.
      await world.store.removeTarget({ accountId: account, targetId: "t" }, note());
      const last = await runInWorld(world, job);
      expect(last).toMatchObject({ state: "DONE", done: 200 + 56 });
      const messages = await world.messages("a");
      const later = messages.filter(({ targetId }) => targetId === "other");
      expect(later.map(({ options }) => options?.schedule?.runTime)).toEqual(
        Array.from({ length: 56 }, (_, index) => startTime + (index + 4) * minute),
      );
    });

    test("that was removed ends the job", async () => {
      const world = await open();
      await world.create("a", every(second, { startTime: noon - hour }));
      const job = await startBackfill(world, "a", [noon - hour, noon]);
      await advanced(world.store, world.holder, job);
      await world.remove("a");
      await world.pass(second);
      const ended = await runInWorld(world, job);
      expect(ended).toMatchObject({ state: "FAILED", stopReason: "SCHEDULE_REMOVED", done: 200 });
      expect(await world.store.getJob(jobRef(job))).toEqual(ended);
      // What was made is due, and delivered.
      expect(await world.finish()).toHaveLength(200);
    });

    test("that was created again is another one", async () => {
      const world = await open();
      await world.create("a", every(second, { startTime: noon - hour }));
      const job = await startBackfill(world, "a", [noon - hour, noon]);
      await world.remove("a");
      await world.pass(second);
      await world.create("a", every(minute, { startTime: noon - hour }));
      const ended = await runInWorld(world, job);
      expect(ended).toMatchObject({ state: "FAILED", stopReason: "SCHEDULE_REMOVED", done: 0 });
      expect(await world.runs("a")).toEqual([]);
    });
  });

  describe("the job", () => {
    test("makes each of many runs once, a few at a time, also after a restart", async () => {
      const world = await open();
      const startTime = noon - 20 * minute;
      await world.create("a", every(second, { startTime }));
      const job = await startBackfill(world, "a", [startTime, noon]);
      for (let step = 0; step < 4; step++) {
        const { job: after } = await advanced(world.store, world.holder, job);
        expect(after.done).toBe(200 * (step + 1));
        await world.pass(second);
      }
      await world.reopen();
      await world.store.takeJobs(world.holder, 9);
      const ended = await runInWorld(world, job);
      expect(ended).toMatchObject({ state: "DONE", matched: 1_201, done: 1_201 });
      const runs = (await world.runs("a")).filter(({ trigger }) => trigger === "BACKFILL");
      expect(runs.map(({ runTime }) => runTime)).toEqual(
        Array.from({ length: 1_201 }, (_, index) => noon - index * second),
      );
      expect(new Set(runs.map(({ messageId }) => messageId)).size).toBe(1_201);
    });

    test("keeps its rate", async () => {
      const world = await open();
      await world.create("a", every(second, { startTime: noon - hour }));
      const job = await startBackfill(world, "a", [noon - hour, noon], { ratePerSecond: 50 });
      const first = await advanced(world.store, world.holder, job);
      expect(first).toMatchObject({ idleMs: 100, job: { matched: 10, done: 10 } });
      expect(await advanced(world.store, world.holder, job)).toMatchObject({ job: first.job });
      await world.pass(100);
      expect(await advanced(world.store, world.holder, job)).toMatchObject({ job: { done: 15 } });
    });

    test("is over where every run time has had its run, and looks at a bounded number at once", async () => {
      const world = await open();
      const startTime = noon - 20 * minute;
      await world.create("a", every(second, { startTime }));
      await backfill(world, "a", [startTime, noon]);
      const job = await startBackfill(world, "a", [startTime, noon]);
      const first = await advanced(world.store, world.holder, job);
      expect(first).toMatchObject({ idleMs: 0, job: { state: "RUNNING", matched: 0 } });
      expect(first.job.progress.cursor!.time).toBeLessThan(noon);
      expect(await runInWorld(world, job)).toMatchObject({ state: "DONE", matched: 0 });
    });

    test("makes nothing more after a stop", async () => {
      const world = await open();
      await world.create("a", every(second, { startTime: noon - hour }));
      const job = await startBackfill(world, "a", [noon - hour, noon]);
      await advanced(world.store, world.holder, job);
      expect(await stop(world.store, job)).toMatchObject({ job: { state: "STOPPED", done: 200 } });
      await world.pass(second);
      const step = { ...jobRef(job), holder: world.holder, endEntryId: "", removalEntryId: "" };
      expect(await world.store.advanceJob(step)).toEqual({ kind: "not-held" });
      expect(await world.messages("a")).toHaveLength(200 + 5);
    });

    test("waits while its account is suspended", async () => {
      const world = await openAfterGap();
      const job = await startBackfill(world, "a", [at(13), at(14)]);
      await world.store.updateAccount(account, { state: "SUSPENDED" }, note());
      const step = await advanced(world.store, world.holder, job);
      expect(step).toMatchObject({ job: { state: "RUNNING", done: 0 }, planned: [] });
      expect(step.idleMs).toBeGreaterThan(0);
      await world.store.updateAccount(account, { state: "ACTIVE" }, note());
      expect(await runInWorld(world, job)).toMatchObject({ state: "DONE", done: 2 });
    });

    test("occupies the target of the schedule", async () => {
      const world = await openAfterGap();
      const job = await startBackfill(world, "a", [at(13), at(14)]);
      expect(await create(world.store)).toEqual({ kind: "busy", jobId: job.jobId });
      await runInWorld(world, job);
      expect(await create(world.store)).toMatchObject({ kind: "created" });
    });

    test("makes runs of its own account only", async () => {
      const world = await open();
      await world.create("a");
      await world.create("a", hourly(), otherAccount);
      await backfill(world, "a", [at(9), at(10)]);
      expect(await world.runs("a")).toHaveLength(2);
      expect(await world.runs("a", otherAccount)).toEqual([]);
    });
  });

  describe("a look", () => {
    const lookAt = (world: ScheduleWorld, from: number, until: number, sample = 10) =>
      world.store.lookForBackfill({ ...refOf("a"), from, until, sample });

    test("counts the run times without a run, and shows the first", async () => {
      const world = await openAfterGap();
      expect(await lookAt(world, at(11), at(15, 30), 2)).toEqual({
        ...{ count: 4, sample: [at(11), at(12)], lookedUntil: null },
      });
      await backfill(world, "a", [at(11), at(12)]);
      expect(await lookAt(world, at(11), at(15, 30))).toEqual({
        ...{ count: 2, sample: [at(13), at(14)], lookedUntil: null },
      });
      expect(
        await world.store.lookForBackfill({ ...refOf("b"), from: 0, until: 1, sample: 1 }),
      ).toBe(undefined);
    });

    test("goes on where the one before has ended", async () => {
      const world = await open();
      const startTime = noon - hour;
      await world.create("a", every(second, { startTime }));
      let [count, looks] = [0, 0];
      for (let from: number | null = startTime; from !== null; looks++) {
        const look: BackfillLook = (await lookAt(world, from, noon, 0))!;
        expect(look.sample).toEqual([]);
        count += look.count;
        from = look.lookedUntil === null ? null : look.lookedUntil + 1;
      }
      expect(count).toBe(3_601);
      expect(looks).toBeGreaterThan(2);
    });
  });
}
