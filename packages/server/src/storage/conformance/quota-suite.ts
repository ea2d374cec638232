import { expect, test } from "vitest";
import type { ScheduleRequest, ScheduleResult, Store } from "../store.ts";
import type { MakeLocation } from "./harness.ts";
import {
  account,
  farFuture,
  limitMessages,
  makeTarget,
  otherAccount,
  refTo,
  schedule,
  storesOf,
} from "./harness.ts";

const request = (change: Partial<ScheduleRequest> = {}): ScheduleRequest => ({
  accountId: account,
  targetId: "t",
  deliveryTime: farFuture,
  payload: "hello",
  options: null,
  idempotency: null,
  ...change,
});
const some = (count: number, change: Partial<ScheduleRequest> = {}): ScheduleRequest[] =>
  Array.from({ length: count }, () => request(change));
const keyed = (key: string, fingerprint = "f"): ScheduleRequest =>
  request({ idempotency: { key, fingerprint } });
const kindsOf = (results: readonly ScheduleResult[]): string[] => results.map(({ kind }) => kind);
const kinds = async (store: Store, requests: readonly ScheduleRequest[]): Promise<string[]> =>
  kindsOf(await store.scheduleMessages(requests));
const usedBy = async (store: Store, accountId = account): Promise<number | undefined> =>
  (await store.getUsage(accountId))?.used;
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

export function quotaSuite(makeLocation: MakeLocation): void {
  const open = storesOf(makeLocation);
  const openLimited = async (limit: number | null) => {
    const opened = await open();
    await makeTarget(opened.store, "t");
    expect(await limitMessages(opened.store, account, limit)).toMatchObject({
      monthlyMessageLimit: limit,
    });
    return opened;
  };

  test("usage is counted without a limit too, and is there after a restart", async () => {
    const { store, reopen } = await openLimited(null);
    const month = new Date(store.clock.now()).toISOString().slice(0, 7);
    expect(await store.getUsage(account)).toEqual({ month, used: 0, limit: null });
    await store.scheduleMessages(some(3));
    await schedule(store, "t", farFuture);
    expect(await store.getUsage(account)).toEqual({ month, used: 4, limit: null });
    expect(await usedBy(store, otherAccount)).toBe(0);
    expect(await store.getUsage("acc_nobody")).toBeUndefined();
    expect(await limitMessages(store, "acc_nobody", 5)).toBeUndefined();
    expect(await usedBy(await reopen())).toBe(4);
  });

  test("of a batch of megabytes the first messages are admitted, and a repeat gets the same answers", async () => {
    const { store } = await openLimited(100);
    const payload = "y".repeat(60_000);
    const requests = Array.from({ length: 150 }, (_, index) =>
      request({ payload, idempotency: { key: `k${index}`, fingerprint: "f" } }),
    );
    const first = await store.scheduleMessages(requests);
    expect(kindsOf(first)).toEqual([...times(100, "scheduled"), ...times(50, "over-quota")]);
    const again = await store.scheduleMessages(requests);
    expect(kindsOf(again)).toEqual([...times(100, "repeated"), ...times(50, "over-quota")]);
    const ids = (results: readonly ScheduleResult[]) =>
      results.map((result) => "message" in result && result.message.messageId);
    expect(ids(again)).toEqual(ids(first));
    expect(await usedBy(store)).toBe(100);
  });

  test("new accounts get the default limit; existing accounts keep theirs", async () => {
    const { store, reopen } = await open({ monthlyMessageLimit: 2 });
    await makeTarget(store, "t");
    expect(await kinds(store, some(3))).toEqual(["scheduled", "scheduled", "over-quota"]);
    const again = await reopen({ monthlyMessageLimit: 9 });
    await again.ensureAccount(account, "One");
    expect(await again.getUsage(account)).toMatchObject({ used: 2, limit: 2 });
    await again.ensureAccount("acc_later", "Later");
    expect(await again.getUsage("acc_later")).toMatchObject({ used: 0, limit: 9 });
  });

  test("a batch is admitted item by item, up to the limit exactly", async () => {
    const { store, reopen } = await openLimited(5);
    expect(await kinds(store, some(2))).toEqual(times(2, "scheduled"));
    expect(await kinds(store, some(6))).toEqual([
      ...times(3, "scheduled"),
      ...times(3, "over-quota"),
    ]);
    expect(await kinds(store, some(1))).toEqual(["over-quota"]);
    expect(await store.counts()).toEqual({ pending: 5 });
    const again = await reopen();
    expect(await kinds(again, some(1))).toEqual(["over-quota"]);
    expect(await usedBy(again)).toBe(5);
  });

  test("accounts have separate limits, also in one batch", async () => {
    const { store } = await openLimited(2);
    await makeTarget(store, "t", { accountId: otherAccount });
    const theirs = { accountId: otherAccount };
    const results = await kinds(store, [
      request(theirs),
      ...some(2),
      request(theirs),
      ...some(2),
      request(theirs),
    ]);
    expect(results).toEqual([...times(4, "scheduled"), ...times(2, "over-quota"), "scheduled"]);
    expect([await usedBy(store), await usedBy(store, otherAccount)]).toEqual([2, 3]);
  });

  test("refused requests cost nothing, and do not block later requests", async () => {
    const { store } = await openLimited(3);
    expect((await store.scheduleMessages([keyed("k")]))[0]?.kind).toBe("scheduled");
    const results = await kinds(store, [
      ...some(4, { targetId: "nobody" }),
      keyed("k", "other"),
      ...some(2),
      request({ targetId: "nobody" }),
      ...some(2),
    ]);
    expect(results).toEqual([
      ...times(4, "no-target"),
      "key-reused",
      ...times(2, "scheduled"),
      "no-target",
      ...times(2, "over-quota"),
    ]);
    expect(await usedBy(store)).toBe(3);
  });

  test("repeats are free, and are answered after the limit is reached too", async () => {
    const { store } = await openLimited(2);
    const [first] = await store.scheduleMessages([keyed("a")]);
    expect(await kinds(store, [keyed("a"), keyed("a"), keyed("b"), keyed("b")])).toEqual([
      "repeated",
      "repeated",
      "scheduled",
      "repeated",
    ]);
    const [late, fresh, again] = await store.scheduleMessages([keyed("a"), keyed("c"), keyed("a")]);
    expect(kindsOf([late!, fresh!, again!])).toEqual(["repeated", "over-quota", "repeated"]);
    expect(again).toMatchObject({ message: (first as { message: unknown }).message });
    expect(await usedBy(store)).toBe(2);
  });

  test("a request over the limit does not use up its key, also twice in one batch", async () => {
    const { store } = await openLimited(1);
    expect(await kinds(store, [request(), keyed("k"), keyed("k")])).toEqual([
      "scheduled",
      "over-quota",
      "over-quota",
    ]);
    await limitMessages(store, account, 2);
    expect(await kinds(store, [keyed("k", "another request")])).toEqual(["scheduled"]);
  });

  test("a limit that is raised, lowered, removed or set takes effect at once, and counts earlier usage", async () => {
    const { store } = await openLimited(2);
    expect(await kinds(store, some(3))).toEqual([...times(2, "scheduled"), "over-quota"]);
    await limitMessages(store, account, 4);
    expect(await kinds(store, some(3))).toEqual([...times(2, "scheduled"), "over-quota"]);
    await limitMessages(store, account, null);
    expect(await kinds(store, some(300))).toEqual(times(300, "scheduled"));
    await limitMessages(store, account, 305);
    expect(await kinds(store, some(2))).toEqual(["scheduled", "over-quota"]);
    await limitMessages(store, account, 310);
    expect(await kinds(store, some(1))).toEqual(["scheduled"]);
    await limitMessages(store, account, 10);
    expect(await kinds(store, some(1))).toEqual(["over-quota"]);
    expect(await store.getUsage(account)).toMatchObject({ used: 306, limit: 10 });
  });

  test("a limit of zero admits nothing", async () => {
    const { store } = await openLimited(0);
    expect(await kinds(store, some(2))).toEqual(times(2, "over-quota"));
    expect(await kinds(store, some(1))).toEqual(["over-quota"]);
    expect(await store.counts()).toEqual({ pending: 0 });
  });

  test("cancelling gives nothing back, and rescheduling takes nothing", async () => {
    const { store } = await openLimited(1);
    const message = await schedule(store, "t", farFuture);
    await store.cancelMessage({ ...refTo(message), waitMs: 0 });
    expect(await kinds(store, some(1))).toEqual(["over-quota"]);
    const again = await store.rescheduleMessage({
      ...refTo(message),
      deliveryTime: farFuture,
      waitMs: 0,
    });
    expect(again.kind).toBe("changed");
    expect(await usedBy(store)).toBe(1);
  });

  test("concurrent callers are admitted up to exactly the limit, with keys and without", async () => {
    const { store } = await openLimited(100);
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, index) =>
        kinds(store, [index % 3 === 0 ? keyed(`k${index}`) : request()]),
      ),
    );
    expect(answers.flat().filter((kind) => kind === "scheduled")).toHaveLength(100);
    expect(answers.flat().filter((kind) => kind === "over-quota")).toHaveLength(200);
    expect(await usedBy(store)).toBe(100);
    expect(await store.counts()).toEqual({ pending: 100 });
  });
}
