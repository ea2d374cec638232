import { expect, test } from "vitest";
import type { Store } from "../../store.ts";
import { account, makeTarget, note, otherAccount } from "../harness.ts";
import type { MakeLocation } from "../harness.ts";
import {
  advance,
  advanced,
  advanceUntil,
  jobStoresOf,
  joinAndTake,
  refOf,
  run,
  scheduleMany,
  start,
} from "./job-harness.ts";

const setState = (store: Store, state: "SUSPENDED" | "ACTIVE") =>
  store.updateAccount(account, { state }, note());

/** Jobs of an account that is suspended, and resumed. */
export function jobSuspensionSuite(makeLocation: MakeLocation): void {
  const open = jobStoresOf(makeLocation);

  test("a job changes nothing while its account is suspended, and then goes on", async () => {
    const { store } = await open();
    await scheduleMany(store, 3);
    const job = await start(store, { ratePerSecond: 5 });
    await makeTarget(store, "t", { accountId: otherAccount });
    await scheduleMany(store, 1, () => ({ accountId: otherAccount }));
    const theirs = await start(store, { accountId: otherAccount });
    const holder = await joinAndTake(store);
    const first = await advanced(store, holder, job);
    expect(first.job.done).toBe(1);
    // So that the rate allows the next change.
    const { progress } = first.job;
    await setState(store, "SUSPENDED");
    await expect.poll(() => store.clock.now()).toBeGreaterThan(progress.rateFullAt);
    for (let step = 0; step < 3; step++) {
      expect(await advanced(store, holder, job)).toEqual({
        ...{ kind: "advanced", job: first.job, idleMs: expect.any(Number) },
        ...{ planned: [], nextBound: null, removedTargetKey: null },
      });
    }
    expect(await store.getJob(refOf(job))).toEqual(first.job);
    expect(await run(store, holder, theirs)).toMatchObject({ state: "DONE", done: 1 });
    expect(await store.counts()).toEqual({ pending: 2 });
    await setState(store, "ACTIVE");
    expect(await store.takeJobs(holder, 9)).toEqual([refOf(job)]);
    expect(await run(store, holder, job)).toMatchObject({ state: "DONE", done: 3 });
  });

  test("the target that a job is to remove stays during the suspension", async () => {
    const { store } = await open();
    const job = await start(store, { removesTarget: true });
    const holder = await joinAndTake(store);
    await setState(store, "SUSPENDED");
    expect(await advanced(store, holder, job)).toMatchObject({ job, removedTargetKey: null });
    const target = { accountId: account, targetId: "t" };
    expect(await store.getTarget(target)).toBeDefined();
    await setState(store, "ACTIVE");
    await advanceUntil(store, holder, job, ({ state }) => state === "DONE");
    expect(await store.getTarget(target)).toBeUndefined();
  });

  test("when the suspension resolves, nothing more changes, even by steps under way", async () => {
    const { store } = await open();
    for (let part = 0; part < 4; part++) await scheduleMany(store, 500);
    const job = await start(store, { ratePerSecond: 10_000 });
    const holder = await joinAndTake(store);
    await advanced(store, holder, job);
    const stepping = async () => {
      for (let step = 0; step < 10; step++) await advance(store, holder, job);
    };
    const underWay = stepping();
    await setState(store, "SUSPENDED");
    const atTheAnswer = (await store.counts()).pending;
    await underWay;
    expect(await store.counts()).toEqual({ pending: atTheAnswer });
  });
}
