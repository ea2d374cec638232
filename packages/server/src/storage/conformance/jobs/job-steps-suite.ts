import { describe, expect, test } from "vitest";
import { mostChangesAtOnce } from "../../../domain/job.ts";
import type { JobAction } from "../../../domain/job.ts";
import type { Message } from "../../../domain/message.ts";
import {
  account,
  entriesOf,
  exhausted,
  farFuture,
  hour,
  makeTarget,
  note,
  past,
  refTo,
  resultOf,
  schedule,
} from "../harness.ts";
import type { MakeLocation } from "../harness.ts";
import type { AttemptResult, Holder, Store } from "../../store.ts";
import {
  advanced,
  advanceUntil,
  byCaller,
  clockMovesOn,
  jobStoresOf,
  joinAndTake,
  lastStep,
  makeDead,
  messageOf,
  messagesOf,
  refOf,
  run,
  runNew,
  scheduleMany,
  start,
} from "./job-harness.ts";

const options = { labels: { a: "1" } };
const walks = {
  target: {},
  label: { targetId: null, labels: ["a:1"] },
} as const;
const newTime = farFuture + 100 * hour;

/** Gives every message that was redriven its next attempt. */
async function attemptAll(
  store: Store,
  holder: Holder,
  targetKey: number,
  next: AttemptResult["next"],
): Promise<void> {
  const { claims } = await store.claimDue(holder, [{ targetKey, limit: 1_000 }]);
  await store.recordAttempts(
    holder,
    claims.map((claim) => resultOf(claim, next)),
  );
}

/** What jobs make of messages. */
export function jobStepsSuite(makeLocation: MakeLocation): void {
  const open = jobStoresOf(makeLocation);

  describe.each(["target", "label"] as const)("all messages by their %s", (by) => {
    const filter = walks[by];
    const changes: [JobAction, object, (before: Message) => Partial<Message>][] = [
      ["cancel", {}, () => ({ state: "CANCELLED", nextDeliveryTime: null })],
      ["reschedule", { deliveryTime: newTime }, () => ({ nextDeliveryTime: newTime })],
      [
        "shift",
        { byMs: hour },
        (before) => ({ nextDeliveryTime: before.nextDeliveryTime! + hour }),
      ],
      [
        "shift",
        { byMs: -hour },
        (before) => ({ nextDeliveryTime: before.nextDeliveryTime! - hour }),
      ],
    ];
    test.each(changes)("%s %o", async (action, order, expected) => {
      const { store, reopen } = await open();
      const made = await scheduleMany(store, 5, () => ({ options }));
      const plain = await schedule(store, by === "label" ? "t" : "other", farFuture);
      const usage = await store.getUsage(account);
      const ended = await runNew(store, { action, ...order, filter });
      expect(ended).toMatchObject({ state: "DONE", matched: 5, done: 5, stopReason: null });
      const after = await messagesOf(store, made);
      for (const [index, message] of after.entries()) {
        expect(message).toMatchObject(expected(made[index]!));
        expect(message.originalDeliveryTime).toBe(made[index]!.originalDeliveryTime);
      }
      expect(await messageOf(store, plain)).toEqual(plain);
      expect(await store.counts()).toEqual({ pending: action === "cancel" ? 1 : 6 });
      expect(await store.getUsage(account)).toEqual(usage);
      const again = await reopen();
      expect(await messagesOf(again, made)).toEqual(after);
      expect(await again.getJob(refOf(ended))).toEqual(ended);
      expect(await again.counts()).toEqual({ pending: action === "cancel" ? 1 : 6 });
    });

    test("redrive", async () => {
      const { store, targetKey } = await open();
      const dead = await makeDead(store, targetKey, 3, () => ({ options }));
      const plain = await schedule(store, "t", farFuture);
      const usage = await store.getUsage(account);
      const job = await start(store, { action: "redrive", filter });
      const holder = await joinAndTake(store);
      const step = await advanced(store, holder, job);
      expect(step.job).toMatchObject({ state: "RUNNING", matched: 3, done: 3 });
      for (const message of await messagesOf(store, dead)) {
        expect(message).toMatchObject({
          state: "SCHEDULED",
          deadLetterTime: null,
          endReason: null,
        });
      }
      expect(await store.counts()).toEqual({ pending: 4 });
      const [planned] = step.planned;
      const [first] = await messagesOf(store, dead);
      expect(step.planned).toEqual([{ targetKey, dueAt: first!.nextDeliveryTime }]);
      expect(planned!.dueAt).toBeGreaterThanOrEqual(job.creationTime);
      await attemptAll(store, holder, targetKey, { kind: "delivered" });
      const ended = await run(store, holder, job);
      expect(ended).toMatchObject({ state: "DONE", done: 3, failedAgain: 0 });
      expect(await messageOf(store, plain)).toEqual(plain);
      expect(await store.getUsage(account)).toEqual(usage);
    });
  });

  test("one step changes a bounded number, and all steps together change all", async () => {
    const { store } = await open();
    const count = 2 * mostChangesAtOnce + 50;
    await scheduleMany(store, count, () => ({ deliveryTime: farFuture }));
    const job = await start(store);
    const holder = await joinAndTake(store);
    const { job: first } = await advanced(store, holder, job);
    expect(first.done).toBeGreaterThan(0);
    expect(first.done).toBeLessThanOrEqual(mostChangesAtOnce);
    expect(await store.counts()).toEqual({ pending: count - first.done });
    expect(await store.getJob(refOf(job))).toEqual(first);
    expect(await run(store, holder, job)).toMatchObject({ matched: count, done: count });
    expect(await store.counts()).toEqual({ pending: 0 });
  });

  test.each(["target", "label"] as const)(
    "what was scheduled after the start is left alone, by %s",
    async (by) => {
      const { store } = await open();
      const [before] = await scheduleMany(store, 1, () => ({ options }));
      const job = await start(store, { filter: walks[by] });
      await clockMovesOn(store, job.creationTime);
      const [after] = await scheduleMany(store, 1, () => ({ options }));
      await run(store, await joinAndTake(store), job);
      expect((await messageOf(store, before!)).state).toBe("CANCELLED");
      expect(await messageOf(store, after!)).toEqual(after);
    },
  );

  test.each(["target", "label"] as const)(
    "what died after the start is left alone, also if the job has redriven it, by %s",
    async (by) => {
      const { store, targetKey } = await open();
      await makeDead(store, targetKey, 1, () => ({ options }));
      const job = await start(store, { action: "redrive", filter: walks[by] });
      await clockMovesOn(store, job.creationTime);
      const holder = await joinAndTake(store);
      await advanced(store, holder, job);
      await scheduleMany(store, 1, () => ({ options, deliveryTime: past }));
      await attemptAll(store, holder, targetKey, exhausted);
      const ended = await run(store, holder, job);
      expect(ended).toMatchObject({ matched: 1, done: 1, failedAgain: 1, state: "DONE" });
      expect(await store.counts()).toEqual({ pending: await pendingOf(store, "other") });
    },
  );

  async function pendingOf(store: Store, targetId: string): Promise<number> {
    const range = { minTime: null, maxTime: null, after: null, limit: 10_000 };
    return (await store.listScheduledMessages({ accountId: account, targetId, ...range })).length;
  }

  test("a job meets as many as it may, and says so", async () => {
    const { store } = await open();
    const made = await scheduleMany(store, 8);
    const ended = await runNew(store, { maxMessages: 5 });
    expect(ended).toMatchObject({ state: "DONE", stopReason: "MAX_MESSAGES", matched: 5, done: 5 });
    expect(await messagesOf(store, made.slice(5))).toEqual(made.slice(5));
  });

  test("a job keeps its rate", async () => {
    const { store } = await open();
    await scheduleMany(store, 3);
    const job = await start(store, { ratePerSecond: 5 });
    const holder = await joinAndTake(store);
    const first = await advanced(store, holder, job);
    expect(first.job.done).toBe(1);
    expect(first.idleMs).toBeGreaterThan(0);
    expect(first.idleMs).toBeLessThanOrEqual(200);
    const ended = await run(store, holder, job);
    expect(ended.done).toBe(3);
    // The third may come 400 ms after the first at the earliest.
    expect(ended.endTime! - job.creationTime).toBeGreaterThanOrEqual(399);
  });

  describe("a change that is not possible at its turn is skipped", () => {
    test("because another message has the key meanwhile", async () => {
      const { store, targetKey } = await open();
      const keyed = (key: string) => ({
        options: { key },
        wantedKey: { key, onConflict: "reject", maxWaitMs: null } as const,
      });
      const dead = await makeDead(store, targetKey, 2, (index) => keyed(`k${index}`));
      await schedule(store, "t", farFuture, keyed("k0"));
      const ended = await startAndDeliver(store, targetKey);
      expect(ended).toMatchObject({ matched: 2, done: 1, skipped: { changed: 1, inFlight: 0 } });
      expect(await messageOf(store, dead[0]!)).toEqual(dead[0]);
      expect((await messageOf(store, dead[1]!)).state).toBe("DELIVERED");
      expect(await store.findByKey({ accountId: account, targetId: "t", key: "k0" })).toBeDefined();
    });

    async function startAndDeliver(store: Store, targetKey: number) {
      const job = await start(store, { action: "redrive" });
      const holder = await joinAndTake(store);
      await advanced(store, holder, job);
      await attemptAll(store, holder, targetKey, { kind: "delivered" });
      return run(store, holder, job);
    }

    test("because two dead letters have the same key", async () => {
      const { store, targetKey } = await open();
      const keyed = {
        options: { key: "k" },
        wantedKey: { key: "k", onConflict: "reject", maxWaitMs: null },
      } as const;
      await makeDead(store, targetKey, 1, () => keyed);
      await makeDead(store, targetKey, 1, () => keyed);
      const ended = await startAndDeliver(store, targetKey);
      expect(ended).toMatchObject({ matched: 2, done: 1, skipped: { changed: 1, inFlight: 0 } });
    });

    test("because its notAfter comes first", async () => {
      const { store } = await open();
      const notAfters = [{ notAfter: farFuture + hour }, { notAfterMs: hour }, {}];
      const made = await scheduleMany(store, 3, (index) => ({ options: notAfters[index]! }));
      const ended = await runNew(store, { action: "reschedule", deliveryTime: newTime });
      expect(ended).toMatchObject({ matched: 3, done: 2, skipped: { changed: 1, inFlight: 0 } });
      const [fixed, relative] = await messagesOf(store, made);
      expect(fixed).toEqual(made[0]);
      expect(relative!.options).toEqual({ notAfterMs: hour, notAfter: newTime + hour });
    });

    test("because there is no such time", async () => {
      const { store } = await open();
      const latest = 253_402_300_799_999;
      const made = await scheduleMany(store, 2, (index) => ({
        deliveryTime: latest - 2 * hour * index,
      }));
      const ended = await runNew(store, { action: "shift", byMs: hour });
      expect(ended).toMatchObject({ matched: 2, done: 1, skipped: { changed: 1, inFlight: 0 } });
      expect(await messageOf(store, made[0]!)).toEqual(made[0]);
    });

    test("because the message's target was removed", async () => {
      const { store, targetKey } = await open();
      const dead = await makeDead(store, targetKey, 1, () => ({ options }));
      await store.removeTarget({ accountId: account, targetId: "t" }, note());
      const ended = await runNew(store, { action: "redrive", filter: walks.label });
      expect(ended).toMatchObject({ matched: 1, done: 0, skipped: { changed: 1, inFlight: 0 } });
      expect(await messageOf(store, dead[0]!)).toEqual(dead[0]);
    });
  });

  test("bounds move with the messages, and a step tells the earliest", async () => {
    const { store } = await open();
    const made = await scheduleMany(store, 2, (index) => ({
      options: index === 0 ? { notAfterMs: hour } : { notAfterMs: 2 * hour },
    }));
    const job = await start(store, { action: "shift", byMs: -5 });
    const holder = await joinAndTake(store);
    const step = await advanced(store, holder, job);
    expect(step.nextBound).toBe(farFuture + hour - 5);
    expect(step.planned).toMatchObject([{ dueAt: farFuture - 5 }]);
    expect((await messageOf(store, made[0]!)).options!.notAfter).toBe(farFuture + hour - 5);
    expect((await store.endOutrun(1)).nextBound).toBe(farFuture + hour - 5);
    await run(store, holder, job);
    await runNew(store, {});
    expect((await store.endOutrun(1)).nextBound).toBeNull();
  });

  describe("the target of a job", () => {
    const removal = { removesTarget: true };

    test("is removed with the last of its messages, in the same commit", async () => {
      const { store, targetKey } = await open();
      await scheduleMany(store, 3);
      const job = await start(store, removal);
      const holder = await joinAndTake(store);
      const step = await lastStep(store, holder, job);
      expect(step).toMatchObject({ removedTargetKey: targetKey, idleMs: null });
      expect(step.job).toMatchObject({ state: "DONE", done: 3, stopReason: null });
      const ref = { accountId: account, targetId: "t" };
      expect(await store.getTarget(ref)).toBeUndefined();
      await expect(schedule(store, "t", farFuture)).rejects.toThrow("no-target");
      const removals = (await entriesOf(store)).filter(({ action }) => action === "target.removed");
      const detail = { jobId: job.jobId };
      expect(removals).toMatchObject([{ subjectId: "t", actor: job.actor, detail }]);
      const again = await makeTarget(store, "t");
      expect(again.targetKey).toBe(targetKey);
    });

    test("stays if messages were scheduled for it meanwhile", async () => {
      const { store } = await open();
      await scheduleMany(store, 1);
      const job = await start(store, removal);
      await clockMovesOn(store, job.creationTime);
      const [late] = await scheduleMany(store, 1);
      const holder = await joinAndTake(store);
      const step = await lastStep(store, holder, job);
      expect(step).toMatchObject({
        removedTargetKey: null,
        job: { state: "FAILED", stopReason: "TARGET_HAS_MESSAGES", done: 1 },
      });
      expect(await store.getTarget({ accountId: account, targetId: "t" })).toBeDefined();
      expect(await messageOf(store, late!)).toEqual(late);
    });

    test("is another one if it was removed and created again", async () => {
      const { store } = await open();
      const job = await start(store, removal);
      await clockMovesOn(store, job.creationTime);
      await store.removeTarget({ accountId: account, targetId: "t" }, note());
      await makeTarget(store, "t");
      const holder = await joinAndTake(store);
      const ended = { state: "FAILED", stopReason: "TARGET_REMOVED" };
      expect(await run(store, holder, job)).toMatchObject(ended);
      expect(await store.getTarget({ accountId: account, targetId: "t" })).toBeDefined();
    });

    test("ends the job if somebody removes it", async () => {
      const { store } = await open();
      const job = await start(store, { action: "redrive" });
      await store.removeTarget({ accountId: account, targetId: "t" }, note());
      const holder = await joinAndTake(store);
      expect(await run(store, holder, job)).toMatchObject({
        state: "FAILED",
        stopReason: "TARGET_REMOVED",
      });
      await makeTarget(store, "t");
      await start(store);
    });
  });

  test("the end of a job has an audit entry, written once", async () => {
    const { store } = await open();
    await scheduleMany(store, 2);
    const job = await start(store);
    const holder = await joinAndTake(store);
    await run(store, holder, job);
    const ends = (await entriesOf(store)).filter(({ action }) => action === "job.ended");
    expect(ends).toMatchObject([
      {
        actor: { kind: "service", id: "postdate" },
        requestId: null,
        subjectId: job.jobId,
        detail: {
          ...{ state: "DONE", matched: 2, done: 2, skippedChanged: 0, skippedInFlight: 0 },
          ...{ failedAgain: 0, stopReason: null },
        },
      },
    ]);
  });

  test("so many failures in a row pause a redrive, and a resume lets it go on", async () => {
    const { store, targetKey } = await open();
    await makeDead(store, targetKey, 7);
    const redrive = { action: "redrive", ratePerSecond: 5, stopAfterFailures: 2 } as const;
    const job = await start(store, redrive);
    const holder = await joinAndTake(store);
    const later = { kind: "retry", delayMs: 1_000 * hour } as const;
    const outcomes = [later, { kind: "delivered" }, later, exhausted] as const;
    for (const [index, next] of outcomes.entries()) {
      await advanceUntil(store, holder, job, ({ done }) => done > index);
      await attemptAll(store, holder, targetKey, next);
    }
    const paused = await advanceUntil(store, holder, job, ({ state }) => state === "PAUSED");
    expect(paused).toMatchObject({ stopReason: "FAILURES", failedAgain: 3, endTime: null });
    expect(paused.done).toBeLessThan(7);
    await store.changeJob(refOf(job), { kind: "resume" }, byCaller());
    const fast = { kind: "set-rate", ratePerSecond: 10_000 } as const;
    await store.changeJob(refOf(job), fast, byCaller());
    await advanceUntil(store, holder, job, ({ progress }) => progress.walkEndTime !== null);
    await attemptAll(store, holder, targetKey, exhausted);
    // Also after the last message: a redrive of which everything failed is not done.
    await advanceUntil(store, holder, job, ({ state }) => state === "PAUSED");
    await store.changeJob(refOf(job), { kind: "resume" }, byCaller());
    const ended = await run(store, holder, job);
    expect(ended).toMatchObject({ state: "DONE", matched: 7, done: 7, failedAgain: 6 });
  });

  test("a redriven message that somebody cancels has no outcome", async () => {
    const { store, targetKey } = await open();
    const [dead] = await makeDead(store, targetKey, 1);
    const job = await start(store, { action: "redrive" });
    const holder = await joinAndTake(store);
    await advanced(store, holder, job);
    await store.cancelMessage({ ...refTo(dead!), waitMs: 0 });
    expect(await run(store, holder, job)).toMatchObject({ state: "DONE", failedAgain: 0, done: 1 });
  });
}
