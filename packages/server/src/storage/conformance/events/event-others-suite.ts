import { describe, expect, test } from "vitest";
import { account, farFuture, hour, newTarget, note, schedule } from "../harness.ts";
import {
  byCaller,
  lastStep,
  makeDead,
  refOf as jobRefOf,
  scheduleMany,
  start,
  stop,
} from "../jobs/job-harness.ts";
import { backfill } from "../schedules/backfill-harness.ts";
import { at, every, hourly, minute, second } from "../schedules/schedule-harness.ts";
import type { MakeClockedLocation } from "../schedules/schedule-harness.ts";
import { changeEndpoint, eventWorldsOf, logOf, toldAbout, typesAbout } from "./event-harness.ts";

/** What is told about targets, schedules and jobs. */
export function eventOthersSuite(makeLocation: MakeClockedLocation): void {
  const open = eventWorldsOf(makeLocation);
  const ref = (targetId: string) => ({ accountId: account, targetId });

  describe("targets", () => {
    test("are created, changed, paused, resumed, removed, and created again", async () => {
      const { store, now } = await open();
      const order = newTarget("x", { sealedSettings: "SETTINGS", sealedSecrets: "SECRETS" });
      await store.createTarget(order, note());
      await store.updateTarget(ref("x"), { maxConcurrency: 3 }, null, note());
      await store.updateTarget(ref("x"), { paused: true }, null, note());
      await store.updateTarget(ref("x"), { paused: false, maxConcurrency: 4 }, null, note());
      await store.removeTarget(ref("x"), note());
      await store.createTarget(order, note());
      const events = await logOf(store);
      expect(typesAbout(events, "x")).toEqual([
        "target.created",
        "target.updated",
        "target.paused",
        "target.resumed",
        "target.updated",
        "target.removed",
        "target.created",
      ]);
      const { kind, retryPolicy, rateLimit } = order;
      const target = { targetId: "x", kind, retryPolicy, rateLimit };
      expect(events.map(({ data }) => data)).toEqual(
        [
          { maxConcurrency: 50, paused: false },
          { maxConcurrency: 3, paused: false },
          { maxConcurrency: 3, paused: true },
          { maxConcurrency: 4, paused: false },
          { maxConcurrency: 4, paused: false },
          { maxConcurrency: 4, paused: false },
          { maxConcurrency: 50, paused: false },
        ].map((change) => ({ target: { ...target, ...change } })),
      );
      for (const event of events) expect(event).toMatchObject({ targetId: "x", time: now });
      expect(JSON.stringify(events)).not.toMatch(/SETTINGS|SECRETS/);
    });

    test("that are not changed after all are not told", async () => {
      const { store } = await open();
      await store.createTarget(newTarget("t"), note());
      await store.updateTarget(ref("t"), { paused: true }, 77, note());
      await store.updateTarget(ref("nowhere"), { paused: true }, null, note());
      await schedule(store, "t", farFuture);
      await store.removeTarget(ref("t"), note());
      expect(await toldAbout(store, "t")).toEqual([]);
    });

    test("are removed by a job too, before it ends", async () => {
      const world = await open();
      const { store, holder } = world;
      const [one] = await scheduleMany(store, 1);
      const job = await start(store, { removesTarget: true });
      await store.takeJobs(holder, 9);
      await lastStep(store, holder, job);
      const events = await logOf(store);
      expect(typesAbout(events, "t")).toEqual(["target.removed"]);
      expect(typesAbout(events, one!.messageId)).toEqual([
        "message.scheduled",
        "message.cancelled",
      ]);
      expect(typesAbout(events, job.jobId)).toEqual(["job.started", "job.ended"]);
    });
  });

  describe("schedules", () => {
    test("are created, changed, paused, resumed and removed", async () => {
      const world = await open();
      const { store } = world;
      await world.create("s");
      await world.define("s", hourly({ payload: "another" }));
      await world.change("s", { kind: "skip", time: at(14) });
      await world.change("s", { kind: "unskip", time: at(14) });
      await world.pause("s");
      await world.resume("s");
      // It is not paused, so nothing changes.
      await world.resume("s");
      await world.remove("s");
      const events = await logOf(store);
      expect(typesAbout(events, "s")).toEqual([
        "schedule.created",
        "schedule.updated",
        "schedule.updated",
        "schedule.updated",
        "schedule.paused",
        "schedule.resumed",
        "schedule.removed",
      ]);
      const common = { scheduleId: "s", targetId: "t", pausedUntil: null };
      const active = { ...common, paused: false, pauseReason: null, nextRunTime: at(13) };
      const paused = { ...common, paused: true, pauseReason: "REQUESTED", nextRunTime: null };
      expect(events.map(({ data }) => data.schedule)).toEqual([
        { ...active, revision: 1 },
        { ...active, revision: 2 },
        { ...active, revision: 3 },
        { ...active, revision: 4 },
        { ...paused, revision: 5 },
        { ...active, revision: 6 },
        { ...active, revision: 6 },
      ]);
      expect(JSON.stringify(events)).not.toMatch(/another|tick/);
    });

    test("make runs, whose messages are told too", async () => {
      const world = await open();
      await world.create("s");
      await world.liveUntil(at(13));
      const events = await logOf(world.store);
      expect(typesAbout(events, "s")).toEqual(["schedule.created", "schedule.run_created"]);
      const [message] = await world.messages("s");
      expect(typesAbout(events, message!.messageId)).toEqual(["message.scheduled"]);
      const run = events.find(({ type }) => type === "schedule.run_created")!;
      expect(run).toMatchObject({ targetId: "t", time: at(13) - 5 * second });
      const { messageId } = message!;
      expect(run.data).toMatchObject({
        schedule: { scheduleId: "s", nextRunTime: at(14) },
        run: { runTime: at(13), trigger: "TIME", outcome: "CREATED", reason: null, messageId },
      });
    });

    test("tell of the run that a caller triggers, and change nothing by it", async () => {
      const world = await open();
      await world.create("s");
      await world.change("s", { kind: "trigger" });
      expect(await toldAbout(world.store, "s")).toEqual([
        "schedule.created",
        "schedule.run_created",
      ]);
    });

    test("skip and miss runs", async () => {
      const world = await open();
      const { store } = world;
      await world.create("skipping", every(minute, { overlap: "skip" }));
      await world.liveUntil(at(12, 2));
      await world.create("missing", every(minute, { catchUp: { mode: "none", windowMs: hour } }));
      await world.goTo(at(12, 5));
      await world.advance();
      expect((await toldAbout(store, "skipping")).slice(0, 3)).toEqual([
        "schedule.created",
        "schedule.run_created",
        "schedule.run_skipped",
      ]);
      expect(await toldAbout(store, "missing")).toContain("schedule.run_missed");
    });

    test("take back messages when they are paused or removed", async () => {
      const world = await open();
      const { store } = world;
      await world.create("s", every(2 * second));
      const [one, two] = await world.messages("s");
      await world.pause("s");
      const events = await logOf(store);
      for (const message of [one!, two!]) {
        expect(typesAbout(events, message.messageId)).toEqual([
          "message.scheduled",
          "message.cancelled",
        ]);
      }
      await world.create("r", every(2 * second));
      const [third] = await world.messages("r");
      await world.remove("r");
      expect(await toldAbout(store, third!.messageId)).toEqual([
        "message.scheduled",
        "message.cancelled",
      ]);
    });

    test("resume by themselves when a pause is over, also if a caller is the first to notice", async () => {
      const world = await open();
      const { store } = world;
      for (const id of ["looked-at", "edited"]) {
        await world.create(id);
        await world.pause(id, at(12, 30));
      }
      await world.goTo(at(12, 31));
      await world.define("edited", hourly({ payload: "another" }));
      await world.advance();
      const begun = ["schedule.created", "schedule.paused", "schedule.resumed"];
      expect(await toldAbout(store, "looked-at")).toEqual(begun);
      expect(await toldAbout(store, "edited")).toEqual([...begun, "schedule.updated"]);
    });

    test("pause themselves after dead letters", async () => {
      const world = await open();
      const { store } = world;
      await world.create("s", every(second, { pauseAfterDeadLetters: 2 }));
      await world.liveUntil(at(12, 0, 3 * second));
      await world.finish("dead");
      await world.pass(minute);
      expect(await world.judge()).toEqual(["s"]);
      const events = await logOf(store);
      const paused = events.filter(({ type }) => type === "schedule.paused");
      expect(paused).toHaveLength(1);
      expect(paused[0]!.data.schedule).toMatchObject({ paused: true, pauseReason: "DEAD_LETTERS" });
    });

    test("that are refused or unchanged are not told", async () => {
      const world = await open();
      await world.tryToCreate("s", hourly({ targetId: "nowhere" }));
      await world.create("s");
      await world.tryToCreate("s");
      const definition = hourly();
      await world.tryToChange("s", { kind: "define", definition, ifRevision: 9 });
      await world.tryToChange("s", { kind: "unskip", time: at(15) });
      await world.pass(minute);
      await world.advance();
      await world.remove("nowhere");
      expect(await toldAbout(world.store, "s")).toEqual(["schedule.created"]);
    });
  });

  describe("jobs", () => {
    test("start and end, and their messages are told one by one", async () => {
      const { store, holder } = await open();
      const messages = await scheduleMany(store, 3);
      const job = await start(store);
      await store.takeJobs(holder, 9);
      const { job: ended } = await lastStep(store, holder, job);
      const events = await logOf(store);
      expect(typesAbout(events, job.jobId)).toEqual(["job.started", "job.ended"]);
      for (const { messageId } of messages) {
        expect(typesAbout(events, messageId)).toEqual(["message.scheduled", "message.cancelled"]);
      }
      const last = events.find(({ type }) => type === "job.ended")!;
      expect(last).toMatchObject({ targetId: "t" });
      const { jobId, action, state, matched, done, skipped, failedAgain, stopReason } = ended;
      expect(last.data).toEqual({
        job: { jobId, action, state, matched, done, skipped, failedAgain, stopReason },
      });
      expect(last.data.job).toMatchObject({ state: "DONE", done: 3 });
    });

    test.each([
      ["shift", { byMs: hour }],
      ["reschedule", { deliveryTime: farFuture + hour }],
    ] as const)("that %s messages reschedule them", async (action, asked) => {
      const { store, holder } = await open();
      const [message] = await scheduleMany(store, 1);
      const job = await start(store, { action, ...asked });
      await store.takeJobs(holder, 9);
      await lastStep(store, holder, job);
      expect(await toldAbout(store, message!.messageId)).toEqual([
        "message.scheduled",
        "message.rescheduled",
      ]);
    });

    test("that redrive tell of each message, and are paused when these fail again", async () => {
      const world = await open();
      const { store, targetKey } = world;
      const dead = await makeDead(store, targetKey, 2);
      world.holder = await store.join("node", "all");
      const { holder } = world;
      await world.pass(minute);
      const job = await start(store, { action: "redrive", stopAfterFailures: 2 });
      await store.takeJobs(holder, 9);
      const step = async () => {
        await world.pass(second);
        const [endEntryId, removalEntryId] = [note().entryId, note().entryId];
        await store.advanceJob({ ...jobRefOf(job), holder, endEntryId, removalEntryId });
      };
      await step();
      await world.record(await world.claim(), "dead");
      await step();
      await step();
      const events = await logOf(store);
      expect(typesAbout(events, job.jobId)).toEqual(["job.started", "job.paused"]);
      for (const { messageId } of dead) {
        expect(typesAbout(events, messageId).slice(3)).toEqual([
          "message.rescheduled",
          "message.attempt_failed",
          "message.dead_lettered",
        ]);
      }
    });

    test("that callers pause and stop are told; a resume and another rate are not", async () => {
      const { store } = await open();
      await scheduleMany(store, 1);
      const job = await start(store);
      const change = (kind: "pause" | "resume") =>
        store.changeJob(jobRefOf(job), { kind }, byCaller());
      await change("pause");
      await change("pause");
      await change("resume");
      await store.changeJob(jobRefOf(job), { kind: "set-rate", ratePerSecond: 7 }, byCaller());
      await stop(store, job);
      await stop(store, job);
      const events = await logOf(store);
      expect(typesAbout(events, job.jobId)).toEqual(["job.started", "job.paused", "job.ended"]);
      const states = events.flatMap(({ data }) => (data.job ? [data.job.state] : []));
      expect(states).toEqual(["RUNNING", "PAUSED", "STOPPED"]);
    });

    test("that name no target concern none", async () => {
      const { store } = await open();
      await changeEndpoint(store, "all", {
        filter: { types: ["job.*"], targetIds: null, labels: null },
      });
      const job = await start(store, { filter: { targetId: null, labels: ["a:b"] } });
      const [event] = await logOf(store);
      expect(event).toMatchObject({ type: "job.started", targetId: null });
      expect(event!.data.job).toMatchObject({ jobId: job.jobId });
      // Its idempotent repeat, and a second one while it lives, tell nothing.
      await store.createJob({ ...job, jobId: "job_00000000000000000000000999" }, null, note());
      expect(await logOf(store)).toHaveLength(1);
    });

    test("that backfill make runs and messages", async () => {
      const world = await open();
      const { store } = world;
      await world.create("s", hourly({ catchUp: { mode: "none", windowMs: hour } }));
      await world.goTo(at(15));
      await world.advance();
      const job = await backfill(world, "s", [at(12), at(14, 30)]);
      const events = await logOf(store);
      const runs = events.filter(({ data }) => data.run?.trigger === "BACKFILL");
      expect(runs.map(({ type, data }) => [type, data.run!.runTime])).toEqual([
        ["schedule.run_created", at(12)],
        ["schedule.run_created", at(13)],
        ["schedule.run_created", at(14)],
      ]);
      for (const { data } of runs) {
        expect(typesAbout(events, data.run!.messageId!)).toEqual(["message.scheduled"]);
      }
      expect(typesAbout(events, job.jobId)).toEqual(["job.started", "job.ended"]);
    });
  });
}
