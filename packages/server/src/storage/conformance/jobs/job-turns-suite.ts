import { describe, expect, test } from "vitest";
import { mostChangesAtOnce, patienceMs } from "../../../domain/job.ts";
import type { Message } from "../../../domain/message.ts";
import { exhausted, farFuture, hour, past, refTo, resultOf } from "../harness.ts";
import type { MakeLocation } from "../harness.ts";
import type { Claim, Holder, Store } from "../../store.ts";
import {
  advance,
  advanced,
  jobStoresOf,
  joinAndTake,
  messageOf,
  messagesOf,
  refOf,
  run,
  scheduleMany,
  start,
} from "./job-harness.ts";

const count = 2 * mostChangesAtOnce + 50;

/** Each message has its turn once, whatever moves it meanwhile, and whoever holds the job. */
export function jobTurnsSuite(
  makeLocation: MakeLocation,
  { shared }: { readonly shared: boolean },
): void {
  const open = jobStoresOf(makeLocation);

  describe.each([hour, -hour])("a shift by %i", (byMs) => {
    const shiftedBy = (messages: readonly Message[], after: readonly Message[]) =>
      after.map(
        ({ nextDeliveryTime }, index) => nextDeliveryTime! - messages[index]!.nextDeliveryTime!,
      );

    test("moves each message once, even over others that are still to come", async () => {
      const { store } = await open();
      // Closer to each other than they are moved.
      const made = await scheduleMany(store, count);
      const job = await start(store, { action: "shift", byMs });
      const ended = await run(store, await joinAndTake(store), job);
      expect(ended).toMatchObject({ state: "DONE", matched: count, done: count });
      expect(new Set(shiftedBy(made, await messagesOf(store, made)))).toEqual(new Set([byMs]));
    });

    test("leaves a shifted message where its caller moves it, ahead of the walk", async () => {
      const { store } = await open();
      const made = await scheduleMany(store, count);
      const job = await start(store, { action: "shift", byMs });
      const holder = await joinAndTake(store);
      await advanced(store, holder, job);
      const moved = byMs > 0 ? made.at(-1)! : made[0]!;
      expect((await messageOf(store, moved)).nextDeliveryTime).toBe(moved.nextDeliveryTime! + byMs);
      const ahead = byMs > 0 ? farFuture - 1 : farFuture + count + 1;
      await store.rescheduleMessage({ ...refTo(moved), deliveryTime: ahead, waitMs: 0 });
      expect(await run(store, holder, job)).toMatchObject({ matched: count, done: count });
      expect((await messageOf(store, moved)).nextDeliveryTime).toBe(ahead);
      const others = made.filter((message) => message !== moved);
      expect(new Set(shiftedBy(others, await messagesOf(store, others)))).toEqual(new Set([byMs]));
    });
  });

  test("a shifted message that a retry moves ahead of the walk is not shifted again", async () => {
    const { store, targetKey } = await open();
    const now = (await scheduleMany(store, 1, () => ({ targetId: "other" })))[0]!.schedulingTime;
    const made = await scheduleMany(store, count, (index) => ({
      deliveryTime: now + hour + index,
    }));
    const job = await start(store, { action: "shift", byMs: -2 * hour });
    const holder = await joinAndTake(store);
    await advanced(store, holder, job);
    const { claims } = await store.claimDue(holder, [{ targetKey, limit: 1 }]);
    expect(claims[0]!.messageId).toBe(made[0]!.messageId);
    const retry = { kind: "retry", delayMs: 3 * hour } as const;
    await store.recordAttempts(holder, [resultOf(claims[0]!, retry)]);
    const retried = await messageOf(store, made[0]!);
    expect(await run(store, holder, job)).toMatchObject({ matched: count, done: count });
    expect(await messageOf(store, made[0]!)).toEqual(retried);
  });

  test("a message that a retry moves behind the walk is shifted too", async () => {
    const { store, targetKey } = await open();
    const [due] = await scheduleMany(store, 1, () => ({ deliveryTime: past }));
    const now = due!.schedulingTime;
    await scheduleMany(store, count, (index) => ({ deliveryTime: now + hour + index }));
    const holder = await joinAndTake(store);
    const { claims } = await store.claimDue(holder, [{ targetKey, limit: 1 }]);
    const job = await start(store, { action: "shift", byMs: hour });
    await store.takeJobs(holder, 9);
    await advanced(store, holder, job);
    const retry = { kind: "retry", delayMs: 9 * hour } as const;
    await store.recordAttempts(holder, [resultOf(claims[0]!, retry)]);
    const retried = (await messageOf(store, due!)).nextDeliveryTime!;
    expect(await run(store, holder, job)).toMatchObject({ matched: count + 1, done: count + 1 });
    expect((await messageOf(store, due!)).nextDeliveryTime).toBe(retried + hour);
  });

  test("a reschedule to a time ahead of the walk meets no message twice", async () => {
    const { store } = await open();
    const made = await scheduleMany(store, count);
    const deliveryTime = farFuture + 2 * count;
    const job = await start(store, { action: "reschedule", deliveryTime });
    const ended = await run(store, await joinAndTake(store), job);
    expect(ended).toMatchObject({ matched: count, done: count });
    const times = (await messagesOf(store, made)).map((message) => message.nextDeliveryTime);
    expect(new Set(times)).toEqual(new Set([deliveryTime]));
  });

  describe.each(["target", "label"])("a message in flight at its first turn, by %s", (by) => {
    const filter = by === "label" ? { targetId: null, labels: ["a:1"] } : {};

    async function startInFlight(order: Parameters<typeof start>[1] = {}) {
      const { store, targetKey } = await open();
      const made = await scheduleMany(store, 2, (index) => ({
        deliveryTime: index === 0 ? past : farFuture,
        options: { labels: { a: "1" } },
      }));
      const holder = await joinAndTake(store);
      const { claims } = await store.claimDue(holder, [{ targetKey, limit: 1 }]);
      const job = await start(store, { filter, ...order });
      await store.takeJobs(holder, 9);
      const step = await advanced(store, holder, job);
      expect(step.job).toMatchObject({ state: "RUNNING", matched: 2, done: 1 });
      expect(step.job.skipped).toEqual({ changed: 0, inFlight: 0 });
      const [held, free] = made as [Message, Message];
      expect(await messageOf(store, held)).toEqual(held);
      return { store, holder, job, held, free, claim: claims[0]! };
    }

    test("is changed at its second, if the attempt fails", async () => {
      const { store, holder, job, held, claim } = await startInFlight();
      const retry = { kind: "retry", delayMs: hour } as const;
      await store.recordAttempts(holder, [resultOf(claim, retry)]);
      expect(await run(store, holder, job)).toMatchObject({ state: "DONE", matched: 2, done: 2 });
      expect(await messageOf(store, held)).toMatchObject({
        state: "CANCELLED",
        deliveryFailureCount: 1,
      });
    });

    test("is shifted from where the retry has put it", async () => {
      const { store, holder, job, held, claim } = await startInFlight({
        action: "shift",
        byMs: -hour,
      });
      const retry = { kind: "retry", delayMs: hour } as const;
      await store.recordAttempts(holder, [resultOf(claim, retry)]);
      const { nextDeliveryTime } = await messageOf(store, held);
      expect(await run(store, holder, job)).toMatchObject({ matched: 2, done: 2 });
      expect((await messageOf(store, held)).nextDeliveryTime).toBe(nextDeliveryTime! - hour);
    });

    test.each([{ kind: "delivered" } as const, exhausted])(
      "is skipped if the attempt ends it: $kind",
      async (next) => {
        const order = { action: "reschedule", deliveryTime: farFuture + hour } as const;
        const { store, holder, job, held, claim } = await startInFlight(order);
        await store.recordAttempts(holder, [resultOf(claim, next)]);
        const after = await messageOf(store, held);
        expect(await run(store, holder, job)).toMatchObject({
          ...{ state: "DONE", matched: 2, done: 1 },
          skipped: { changed: 1, inFlight: 0 },
        });
        expect(await messageOf(store, held)).toEqual(after);
      },
    );

    test("is skipped if the attempt lasts too long, and stays as it is", async () => {
      const { store, holder, job, held, claim } = await startInFlight();
      const ended = await run(store, holder, job);
      expect(ended).toMatchObject({
        ...{ state: "DONE", matched: 2, done: 1 },
        skipped: { changed: 0, inFlight: 1 },
      });
      expect(ended.endTime! - job.creationTime).toBeGreaterThanOrEqual(patienceMs);
      expect(await messageOf(store, held)).toEqual(held);
      const [recorded] = await store.recordAttempts(holder, [
        resultOf(claim, { kind: "delivered" }),
      ]);
      expect(recorded!.kind).toBe("recorded");
    });
  });

  describe("the holder of a job", () => {
    test("is who has taken it, and nobody else goes on with it", async () => {
      const { store } = await open();
      await scheduleMany(store, count);
      const job = await start(store);
      const holder = await store.join("node", "all");
      expect(await advance(store, holder, job)).toEqual({ kind: "not-held" });
      expect(await store.takeJobs(holder, 9)).toEqual([refOf(job)]);
      expect(await store.takeJobs(holder, 9)).toEqual([refOf(job)]);
      expect(await store.takeJobs(holder, 0)).toEqual([refOf(job)]);
      await advanced(store, holder, job);
      const stranger = { ...holder, epoch: holder.epoch + 1_000 };
      expect(await store.takeJobs(stranger, 9)).toEqual([]);
      expect(await advance(store, stranger, job)).toEqual({ kind: "not-held" });
    });

    test("takes no more jobs at once than it asks for", async () => {
      const { store } = await open();
      const jobs = [
        await start(store),
        await start(store, { filter: { targetId: "other" } }),
        await start(store, { filter: { targetId: null, labels: ["a:1"] } }),
      ];
      const holder = await store.join("node", "all");
      expect(await store.takeJobs(holder, 2)).toHaveLength(2);
      expect(await store.takeJobs(holder, 0)).toHaveLength(2);
      const all = await store.takeJobs(holder, 2);
      const ids = (refs: readonly { readonly jobId: string }[]) =>
        refs.map(({ jobId }) => jobId).toSorted();
      expect(ids(all)).toEqual(ids(jobs));
    });

    test("loses it with its membership, and the next one goes on where it was", async () => {
      const { store, reopen } = await open();
      await scheduleMany(store, count);
      const job = await start(store);
      const first = await joinAndTake(store);
      await advanced(store, first, job);
      const second = await store.join("node", "all");
      expect(await advance(store, first, job)).toEqual({ kind: "not-held" });
      expect(await advance(store, second, job)).toEqual({ kind: "not-held" });
      expect(await store.takeJobs(first, 9)).toEqual([]);
      expect(await store.takeJobs(second, 9)).toEqual([refOf(job)]);
      const { job: half } = await advanced(store, second, job);
      const again = await reopen();
      const third = await joinAndTake(again);
      const ended = await run(again, third, job);
      expect(ended).toMatchObject({ state: "DONE", matched: count, done: count });
      expect(half.done).toBeLessThan(count);
    });
  });

  if (!shared) return;

  describe("several nodes", () => {
    const takes = async (store: Store, holder: Holder) => (await store.takeJobs(holder, 9)).length;

    test("have one holder between them", async () => {
      const { store } = await open();
      await scheduleMany(store, count);
      const job = await start(store);
      const [one, two] = [await store.join("one", "all"), await store.join("two", "all")];
      const taken = await Promise.all([one, two].map((holder) => takes(store, holder)));
      expect(taken.toSorted((a, b) => a - b)).toEqual([0, 1]);
      const [holder, other] = taken[0] === 1 ? [one, two] : [two, one];
      expect(await advance(store, other, job)).toEqual({ kind: "not-held" });
      await advanced(store, holder, job);
      await store.leave(holder);
      expect(await advance(store, holder, job)).toEqual({ kind: "not-held" });
      expect(await takes(store, other)).toBe(1);
      expect(await run(store, other, job)).toMatchObject({ matched: count, done: count });
    });

    test("take over from one whose lease has ended, and it does nothing more", async () => {
      const { store } = await open({ leaseMs: 2_000 });
      await scheduleMany(store, count);
      const job = await start(store);
      const silent = await store.join("silent", "all");
      expect(await takes(store, silent)).toBe(1);
      await advanced(store, silent, job);
      const lively = await store.join("lively", "all");
      await expect
        .poll(async () => {
          expect(await store.renew(lively)).toBe(true);
          await store.endLapsedMemberships();
          return takes(store, lively);
        })
        .toBe(1);
      expect(await advance(store, silent, job)).toEqual({ kind: "not-held" });
      expect(await takes(store, silent)).toBe(0);
      expect(await run(store, lively, job)).toMatchObject({ matched: count, done: count });
    });

    test("that step and stop at the same time agree on what was changed", async () => {
      const { store, openAnother } = await open();
      const made = await scheduleMany(store, count);
      const job = await start(store);
      const holder = await joinAndTake(store);
      const elsewhere = await openAnother();
      const [, stopped] = await Promise.all([
        advance(store, holder, job),
        elsewhere.changeJob(
          refOf(job),
          { kind: "stop" },
          { entryId: "entry_of_stop", actor: job.actor, requestId: null },
        ),
      ]);
      if (stopped.kind !== "changed") throw new Error(stopped.kind);
      const states = (await messagesOf(store, made)).map(({ state }) => state);
      const cancelled = states.filter((state) => state === "CANCELLED").length;
      expect(stopped.job).toMatchObject({ state: "STOPPED", done: cancelled, matched: cancelled });
    });

    test("change a message and the job's turn at the same time, and each happens once", async () => {
      const { store, openAnother, targetKey } = await open();
      const made = await scheduleMany(store, 150, () => ({ deliveryTime: past }));
      const holder = await joinAndTake(store);
      const job = await start(store, { action: "shift", byMs: -hour });
      await store.takeJobs(holder, 9);
      const elsewhere = await openAnother();
      const other = await elsewhere.join("other", "all");
      const claiming = async (): Promise<readonly Claim[]> =>
        (await elsewhere.claimDue(other, [{ targetKey, limit: 50 }])).claims;
      const [claims] = await Promise.all([claiming(), advance(store, holder, job)]);
      const retry = { kind: "retry", delayMs: hour } as const;
      await elsewhere.recordAttempts(
        other,
        claims.map((claim) => resultOf(claim, retry)),
      );
      const ended = await run(store, holder, job);
      expect(ended).toMatchObject({ matched: 150, done: 150 });
      for (const message of await messagesOf(store, made)) {
        const claim = claims.find(({ messageId }) => messageId === message.messageId);
        const isRetried = message.nextDeliveryTime! > past;
        // Claimed before its turn: shifted from its retry. After it: the retry has the last word.
        expect(isRetried).toBe(claim !== undefined);
        if (claim === undefined) expect(message.nextDeliveryTime).toBe(past - hour);
        else expect([past, past - hour]).toContain(claim.dueAt);
      }
    });
  });
}
