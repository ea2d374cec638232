import { describe, expect, test } from "vitest";
import { mostLiveJobs } from "../../../domain/job-limits.ts";
import { startedJob } from "../../../domain/job.ts";
import {
  account,
  entriesOf,
  farFuture,
  hour,
  makeTarget,
  note,
  otherAccount,
  schedule,
} from "../harness.ts";
import type { MakeLocation } from "../harness.ts";
import type { Store } from "../../store.ts";
import {
  advance,
  advanced,
  byCaller,
  create,
  expectWhole,
  jobStoresOf,
  joinAndTake,
  lastStep,
  newJob,
  refOf,
  run,
  runNew,
  scheduleMany,
  start,
  startNote,
  stop,
} from "./job-harness.ts";

const label = { filter: { targetId: null, labels: ["a:1"] } };

/** Jobs as records: how they begin, are read and changed, and go. */
export function jobKeepingSuite(makeLocation: MakeLocation): void {
  const open = jobStoresOf(makeLocation);

  describe("the start", () => {
    test("a job is kept as it was ordered, with an audit entry, also after a restart", async () => {
      const { store, reopen } = await open();
      const order = newJob({ action: "shift", byMs: -5, note: "a 'note' 🙂", maxMessages: 9 });
      const entry = startNote(order);
      const result = await store.createJob(order, null, entry);
      if (result.kind !== "created") throw new Error(result.kind);
      expect(result.job).toEqual(startedJob(order, result.job.creationTime));
      expect(await store.getJob(refOf(order))).toEqual(result.job);
      expect((await entriesOf(store))[0]).toMatchObject(entry);
      expect(await (await reopen()).getJob(refOf(order))).toEqual(result.job);
    });

    test("one job at a time works on a target, and one of those that name none", async () => {
      const { store } = await open();
      const { jobId } = await start(store);
      const entries = (await entriesOf(store)).length;
      expect(await create(store)).toEqual({ kind: "busy", jobId });
      const narrower = { filter: { labels: ["a:1"] } };
      expect(await create(store, narrower)).toEqual({ kind: "busy", jobId });
      expect(await entriesOf(store)).toHaveLength(entries);
      await start(store, { filter: { targetId: "other" } });
      const labelled = await start(store, label);
      const another = { filter: { targetId: null, labels: ["b:2"] } };
      expect(await create(store, another)).toEqual({ kind: "busy", jobId: labelled.jobId });
      await makeTarget(store, "t", { accountId: otherAccount });
      await start(store, { accountId: otherAccount });
      await start(store, { ...label, accountId: otherAccount });
    });

    test("a paused job still has its target, and an ended one has not", async () => {
      const { store } = await open();
      const job = await start(store);
      await store.changeJob(refOf(job), { kind: "pause" }, byCaller());
      expect(await create(store)).toEqual({ kind: "busy", jobId: job.jobId });
      await stop(store, job);
      await start(store);
    });

    test("of many at once for one target, one begins", async () => {
      const { store } = await open();
      const results = await Promise.all(Array.from({ length: 8 }, () => create(store)));
      const created = results.filter(({ kind }) => kind === "created");
      expect(created).toHaveLength(1);
      const [job] = await store.listJobs(account, { after: null, limit: 9 });
      expect(results.filter(({ kind }) => kind === "busy")).toEqual(
        Array.from({ length: 7 }, () => ({ kind: "busy", jobId: job!.jobId })),
      );
    });

    test("an account has a bounded number that have not ended", async () => {
      const { store } = await open();
      const targetIds = Array.from({ length: mostLiveJobs + 1 }, (_, index) => `many-${index}`);
      await Promise.all(targetIds.map((targetId) => makeTarget(store, targetId)));
      const orders = targetIds.map((targetId) => ({ filter: { targetId } }));
      const live = [];
      for (const order of orders.slice(1)) live.push(await start(store, order));
      const entries = (await entriesOf(store)).length;
      expect(await create(store, orders[0])).toEqual({ kind: "too-many" });
      expect(await create(store, orders[1])).toEqual({ kind: "busy", jobId: live[0]!.jobId });
      expect(await create(store, { filter: { targetId: "unknown" } })).toEqual({
        kind: "no-target",
      });
      expect(await entriesOf(store)).toHaveLength(entries);
      await makeTarget(store, "t", { accountId: otherAccount });
      await start(store, { accountId: otherAccount });
      await store.changeJob(refOf(live[3]!), { kind: "pause" }, byCaller());
      expect(await create(store, orders[0])).toEqual({ kind: "too-many" });
      await stop(store, live[3]!);
      await start(store, orders[0]);
    });

    test("an account starts a bounded number within a minute", async () => {
      const { store } = await open();
      const key = { key: "k", fingerprint: "f" };
      const first = newJob();
      await store.createJob(first, key, startNote(first));
      await stop(store, first);
      for (let count = 1; count < 100; count++) await stop(store, await start(store));
      const entries = (await entriesOf(store)).length;
      const refused = await create(store);
      if (refused.kind !== "too-soon") throw new Error(refused.kind);
      expect(refused.opensInMs).toBeGreaterThan(0);
      expect(refused.opensInMs).toBeLessThanOrEqual(60_000);
      expect(await entriesOf(store)).toHaveLength(entries);
      const again = await store.createJob(newJob(), key, note());
      expect(again).toMatchObject({ kind: "repeated", job: { jobId: first.jobId } });
      await makeTarget(store, "t", { accountId: otherAccount });
      await start(store, { accountId: otherAccount });
    });

    test("a target that is unknown, removed, or of another account is none", async () => {
      const { store } = await open();
      await makeTarget(store, "theirs", { accountId: otherAccount });
      await store.removeTarget({ accountId: account, targetId: "other" }, note());
      const entries = (await entriesOf(store, null)).length;
      for (const targetId of ["unknown", "other", "theirs"]) {
        expect(await create(store, { filter: { targetId } })).toEqual({ kind: "no-target" });
      }
      expect(await create(store, { accountId: "acc_x" })).toEqual({ kind: "no-target" });
      expect(await store.listJobs(account, { after: null, limit: 9 })).toEqual([]);
      expect(await entriesOf(store, null)).toHaveLength(entries);
    });
  });

  describe("a repeated start", () => {
    const keyed = { key: "k", fingerprint: "f" };
    const ask = (store: Store, idempotency = keyed, accountId = account) => {
      const job = newJob({ accountId });
      return store.createJob(job, idempotency, startNote(job));
    };

    test("is answered with the first job as it is now, and begins nothing", async () => {
      const { store, reopen } = await open();
      const first = await ask(store);
      if (first.kind !== "created") throw new Error(first.kind);
      expect(await ask(store)).toEqual({ kind: "repeated", job: first.job });
      await stop(store, first.job);
      const entries = (await entriesOf(store)).length;
      const again = await reopen();
      const job = await again.getJob(refOf(first.job));
      expect(job?.state).toBe("STOPPED");
      expect(await ask(again)).toEqual({ kind: "repeated", job });
      expect(await entriesOf(again)).toHaveLength(entries);
    });

    test("with another content is refused, and another account has its own keys", async () => {
      const { store } = await open();
      await makeTarget(store, "t", { accountId: otherAccount });
      expect((await ask(store)).kind).toBe("created");
      expect(await ask(store, { ...keyed, fingerprint: "g" })).toEqual({ kind: "key-reused" });
      expect((await ask(store, keyed, otherAccount)).kind).toBe("created");
    });

    test("that comes many times at once begins one job", async () => {
      const { store } = await open();
      const results = await Promise.all(Array.from({ length: 8 }, () => ask(store)));
      const kinds = results.map(({ kind }) => kind).toSorted();
      expect(kinds).toEqual(["created", ...Array.from({ length: 7 }, () => "repeated")]);
      expect(new Set(results.map((each) => "job" in each && each.job.jobId)).size).toBe(1);
    });

    test("that was refused can be made again", async () => {
      const { store } = await open();
      const job = await start(store);
      expect(await ask(store)).toEqual({ kind: "busy", jobId: job.jobId });
      await stop(store, job);
      expect((await ask(store)).kind).toBe("created");
    });

    test("counts no more once its key has expired", async () => {
      const { store } = await open({ idempotencyRetentionMs: 0 });
      const first = await ask(store);
      if (first.kind !== "created") throw new Error(first.kind);
      expect(await ask(store)).toEqual({ kind: "busy", jobId: first.job.jobId });
      await stop(store, first.job);
      expect((await ask(store, { ...keyed, fingerprint: "g" })).kind).toBe("created");
    });
  });

  test("jobs are listed newest first, in pages, and nobody else sees them", async () => {
    const { store } = await open();
    const made = [await start(store), await start(store, label)];
    await stop(store, made[0]!);
    made.push(await start(store));
    const newest = (await Promise.all(made.map((job) => store.getJob(refOf(job))))).toReversed();
    const list = (after: string | null, limit: number, accountId = account) =>
      store.listJobs(accountId, { after, limit });
    expect(await list(null, 9)).toEqual(newest);
    expect(await list(null, 2)).toEqual(newest.slice(0, 2));
    expect(await list(newest[1]!.jobId, 2)).toEqual(newest.slice(2));
    expect(await list(newest[2]!.jobId, 2)).toEqual([]);
    expect(await list(null, 9, otherAccount)).toEqual([]);
    const [{ jobId }] = made as [(typeof made)[0]];
    const theirs = { accountId: otherAccount, jobId };
    expect(await store.getJob(theirs)).toBeUndefined();
    expect(await store.getJob({ accountId: account, jobId: "job_x" })).toBeUndefined();
    expect(await stop(store, theirs)).toEqual({ kind: "not-found" });
    const holder = await joinAndTake(store);
    expect(await advance(store, holder, { ...made[2]!, accountId: otherAccount })).toEqual({
      kind: "not-held",
    });
  });

  describe("a change", () => {
    test("pause keeps a job from going on, and resume lets it", async () => {
      const { store } = await open();
      await scheduleMany(store, 3);
      const job = await start(store, { ratePerSecond: 5 });
      const holder = await joinAndTake(store);
      expect((await advanced(store, holder, job)).job.done).toBe(1);
      const change = (kind: "pause" | "resume") =>
        store.changeJob(refOf(job), { kind }, byCaller());
      for (let time = 0; time < 2; time++) {
        expect(await change("pause")).toMatchObject({
          kind: "changed",
          job: { state: "PAUSED", stopReason: "REQUESTED", done: 1, endTime: null },
        });
      }
      expect(await advance(store, holder, job)).toEqual({ kind: "not-held" });
      expect(await store.takeJobs(holder, 9)).toEqual([]);
      expect(await store.counts()).toEqual({ pending: 2 });
      for (let time = 0; time < 2; time++) {
        const resumed = await change("resume");
        expect(resumed).toMatchObject({ job: { state: "RUNNING", stopReason: null, done: 1 } });
      }
      expect(await store.takeJobs(holder, 9)).toEqual([refOf(job)]);
      expect(await run(store, holder, job)).toMatchObject({ state: "DONE", done: 3 });
    });

    test("stop ends a job for good: nothing more changes, and all that it met is counted", async () => {
      const { store, targetKey } = await open();
      await scheduleMany(store, 1, () => ({ deliveryTime: 1 }));
      const holder = await joinAndTake(store);
      const { claims } = await store.claimDue(holder, [{ targetKey, limit: 1 }]);
      expect(claims).toHaveLength(1);
      await scheduleMany(store, 4);
      const job = await start(store, { maxMessages: 3 });
      await store.takeJobs(holder, 9);
      const step = await advanced(store, holder, job);
      expect(step.job).toMatchObject({ state: "RUNNING", matched: 3, done: 2 });
      const caller = byCaller();
      const stopped = await store.changeJob(refOf(job), { kind: "stop" }, caller);
      expect(stopped).toMatchObject({
        kind: "changed",
        job: {
          ...{ state: "STOPPED", stopReason: "REQUESTED", matched: 3, done: 2 },
          skipped: { changed: 0, inFlight: 1 },
        },
      });
      if (stopped.kind !== "changed") return;
      expectWhole(stopped.job);
      expect((await entriesOf(store))[0]).toMatchObject({
        ...{ ...caller, action: "job.ended", subjectId: job.jobId },
        detail: { state: "STOPPED", matched: 3, done: 2, skippedInFlight: 1 },
      });
      expect(await advance(store, holder, job)).toEqual({ kind: "not-held" });
      expect(await store.takeJobs(holder, 9)).toEqual([]);
      expect(await store.counts()).toEqual({ pending: 3 });
      expect(await store.getJob(refOf(job))).toEqual(stopped.job);
    });

    test("of the rate takes effect at the next step", async () => {
      const { store } = await open();
      await scheduleMany(store, 60);
      const job = await start(store, { ratePerSecond: 1 });
      const holder = await joinAndTake(store);
      expect((await advanced(store, holder, job)).job.done).toBe(1);
      const slow = await advanced(store, holder, job);
      expect(slow.job.done).toBe(1);
      expect(slow.idleMs).toBeGreaterThan(0);
      expect(slow.idleMs).toBeLessThanOrEqual(1_000);
      const change = { kind: "set-rate", ratePerSecond: 10_000 } as const;
      expect(await store.changeJob(refOf(job), change, byCaller())).toMatchObject({
        kind: "changed",
        job: { state: "RUNNING", ratePerSecond: 10_000, done: 1 },
      });
      expect(await run(store, holder, job)).toMatchObject({ done: 60, ratePerSecond: 10_000 });
    });

    test("of a job that has ended is refused", async () => {
      const { store } = await open();
      const job = await runNew(store, {});
      expect(job).toMatchObject({ state: "DONE", matched: 0, stopReason: null });
      const entries = (await entriesOf(store)).length;
      for (const change of [
        ...(["stop", "pause", "resume"] as const).map((kind) => ({ kind })),
        { kind: "set-rate", ratePerSecond: 7 } as const,
      ]) {
        const result = await store.changeJob(refOf(job), change, byCaller());
        expect(result).toEqual({ kind: "ended", job });
      }
      expect(await entriesOf(store)).toHaveLength(entries);
    });
  });

  describe("what goes", () => {
    async function sweep(store: Store) {
      for (;;) {
        const { removed, nextExpiry } = await store.removeExpired(100);
        if (removed === 0) return nextExpiry;
      }
    }

    test("an ended job expires as an ended message does, a running one never", async () => {
      const { store, reopen } = await open({ retentionMs: 0 });
      await scheduleMany(store, 3);
      const ended = await runNewGone(store);
      const running = await start(store);
      await sweep(store);
      expect(await store.getJob(refOf(running))).toEqual(running);
      await stop(store, running);
      const again = await reopen({ retentionMs: hour });
      expect(await sweep(again)).toBeNull();
      for (const job of [ended, running]) {
        expect(await again.getJob(refOf(job))).toBeUndefined();
      }
      const last = await runNew(again, {});
      expect(await sweep(again)).toBe(last.endTime! + hour);
      expect(await again.listJobs(account, { after: null, limit: 9 })).toEqual([last]);
    });

    /** Its record is gone the moment it ends. */
    async function runNewGone(store: Store) {
      const job = await start(store);
      const holder = await joinAndTake(store);
      const step = await lastStep(store, holder, job);
      expect(step.job).toMatchObject({ state: "DONE", done: 3 });
      expect(await store.getJob(refOf(job))).toBeUndefined();
      expect(await store.listJobs(account, { after: null, limit: 9 })).toEqual([]);
      expect(await stop(store, job)).toEqual({ kind: "not-found" });
      return job;
    }

    test("the jobs of a removed account go with it", async () => {
      const { store } = await open();
      await scheduleMany(store, 300);
      const job = await start(store);
      const holder = await joinAndTake(store);
      await advanced(store, holder, job);
      await makeTarget(store, "t", { accountId: otherAccount });
      const theirs = await start(store, { accountId: otherAccount });
      await store.updateAccount(account, { state: "SUSPENDED" }, note());
      await store.removeAccount(account, note());
      for (const stage of ["removed", "swept"]) {
        expect(await store.getJob(refOf(job)), stage).toBeUndefined();
        expect(await store.listJobs(account, { after: null, limit: 9 }), stage).toEqual([]);
        expect(await advance(store, holder, job), stage).toEqual({ kind: "not-held" });
        expect(await stop(store, job), stage).toEqual({ kind: "not-found" });
        expect(await create(store, label), stage).toEqual({ kind: "no-target" });
        if (stage === "removed") await sweep(store);
      }
      expect(await store.takeJobs(holder, 9)).toEqual([refOf(theirs)]);
      expect(await store.counts()).toEqual({ pending: 0 });
      await schedule(store, "t", farFuture, { accountId: otherAccount });
      expect(await run(store, holder, theirs)).toMatchObject({ state: "DONE" });
    });
  });
}
