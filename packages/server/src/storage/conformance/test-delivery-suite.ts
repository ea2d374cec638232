import { expect, test } from "vitest";
import type { BeginTestResult, Store, TargetTest } from "../store.ts";
import {
  account,
  hour,
  limitMessages,
  makeTarget,
  newTarget,
  note,
  otherAccount,
  past,
  resultOf,
  schedule,
  storesOf,
} from "./harness.ts";
import type { MakeLocation } from "./harness.ts";

const ref = { accountId: account, targetId: "t" };
const oneAnHour = { max: 1, intervalMs: hour };

async function begin(store: Store): Promise<TargetTest> {
  const result = await store.beginTest(ref);
  if (result.kind !== "begun") throw new Error(`not begun: ${result.kind}`);
  return result.test;
}

const usedBy = async (store: Store): Promise<number | undefined> =>
  (await store.getUsage(account))?.used;

/** Tests are deliveries outside the schedule, and count against all limits of deliveries. */
export function testDeliverySuite(
  makeLocation: MakeLocation,
  { shared }: { readonly shared: boolean },
): void {
  const open = storesOf(makeLocation);

  test("a test begins with the current target, paused or not, and counts as a message", async () => {
    const { store } = await open();
    const target = await makeTarget(store, "t", { paused: true });
    await store.join("node", "all");
    const begun = await store.beginTest(ref);
    expect(begun).toMatchObject({ kind: "begun", target, test: { targetKey: target.targetKey } });
    expect(await usedBy(store)).toBe(1);
    expect((await store.listNodes())[0]?.inFlight).toBe(1);
    await store.endTest((begun as BeginTestResult & { kind: "begun" }).test);
    expect((await store.listNodes())[0]?.inFlight).toBe(0);
    expect(await usedBy(store)).toBe(1);
    expect(await store.counts()).toEqual({ pending: 0 });
  });

  test("a missing or removed target, or one of another account, cannot be tested", async () => {
    const { store } = await open();
    await store.join("node", "all");
    expect(await store.beginTest(ref)).toEqual({ kind: "no-target" });
    await makeTarget(store, "t", { accountId: otherAccount });
    expect(await store.beginTest(ref)).toEqual({ kind: "no-target" });
    await makeTarget(store, "t");
    await store.removeTarget(ref, note());
    expect(await store.beginTest(ref)).toEqual({ kind: "no-target" });
    expect(await usedBy(store)).toBe(0);
  });

  test("tests and messages share the monthly limit exactly, also when concurrent", async () => {
    const { store } = await open();
    await makeTarget(store, "t");
    await store.join("node", "all");
    await limitMessages(store, account, 10);
    const tests = Array.from({ length: 15 }, () => store.beginTest(ref));
    const schedules = Array.from({ length: 15 }, () =>
      store.scheduleMessages([
        { ...ref, deliveryTime: past, payload: "hello", options: null, idempotency: null },
      ]),
    );
    const begun = (await Promise.all(tests)).filter(({ kind }) => kind === "begun");
    const scheduled = (await Promise.all(schedules)).flat().filter((r) => r.kind === "scheduled");
    expect(begun.length + scheduled.length).toBe(10);
    expect(await store.beginTest(ref)).toEqual({ kind: "over-quota" });
    expect(await usedBy(store)).toBe(10);
  });

  test("tests share the target's concurrency with each other and with messages", async () => {
    const { store } = await open();
    const { targetKey } = await makeTarget(store, "t", { maxConcurrency: 2 });
    for (let index = 0; index < 3; index++) await schedule(store, "t", past);
    const holder = await store.join("node", "all");
    const first = await begin(store);
    const claimed = await store.claimDue(holder, [{ targetKey, limit: 2 }]);
    expect(claimed.claims).toHaveLength(1);
    // The caller should ask again soon, but not in a busy loop.
    expect(claimed.targets[0]!.closedMs).toBeGreaterThan(0);
    expect(claimed.targets[0]!.closedMs).toBeLessThan(1_000);
    expect(await store.beginTest(ref)).toEqual({ kind: "busy" });
    expect((await store.claimDue(holder, [{ targetKey, limit: 2 }])).claims).toEqual([]);
    await store.endTest(first);
    expect((await store.claimDue(holder, [{ targetKey, limit: 1 }])).claims).toHaveLength(1);
    expect(await store.beginTest(ref)).toEqual({ kind: "busy" });
    await store.recordAttempts(holder, [resultOf(claimed.claims[0]!, { kind: "delivered" })]);
    await begin(store);
    // Three messages and two tests. A refused test costs nothing.
    expect(await usedBy(store)).toBe(5);
  });

  test("of many concurrent tests, no more begin than the target's concurrency", async () => {
    const { store } = await open();
    await makeTarget(store, "t", { maxConcurrency: 3 });
    await store.join("node", "all");
    const results = await Promise.all(Array.from({ length: 12 }, () => store.beginTest(ref)));
    expect(results.filter(({ kind }) => kind === "begun")).toHaveLength(3);
    expect(results.filter(({ kind }) => kind === "busy")).toHaveLength(9);
    expect(await usedBy(store)).toBe(3);
  });

  test("tests and messages share the target's rate", async () => {
    const { store } = await open();
    const { targetKey } = await makeTarget(store, "t", { rateLimit: oneAnHour });
    await schedule(store, "t", past);
    const holder = await store.join("node", "all");
    await store.endTest(await begin(store));
    const { claims, targets } = await store.claimDue(holder, [{ targetKey, limit: 5 }]);
    expect(claims).toEqual([]);
    expect(targets[0]!.closedMs).toBeGreaterThan(hour - 60_000);
    expect(await store.beginTest(ref)).toEqual({
      kind: "over-rate",
      opensInMs: expect.any(Number),
    });
    expect(await usedBy(store)).toBe(2);

    const other = await makeTarget(store, "u", { rateLimit: oneAnHour });
    await schedule(store, "u", past);
    const claimed = await store.claimDue(holder, [{ targetKey: other.targetKey, limit: 5 }]);
    expect(claimed.claims).toHaveLength(1);
    const refused = await store.beginTest({ accountId: account, targetId: "u" });
    expect(refused).toMatchObject({ kind: "over-rate" });
    const { opensInMs } = refused as { readonly opensInMs: number };
    expect(opensInMs).toBeGreaterThan(hour - 60_000);
    expect(opensInMs).toBeLessThanOrEqual(hour);
  });

  test("a target whose rate is removed, or that is created again, can be tested at once", async () => {
    const { store } = await open();
    await makeTarget(store, "t", { rateLimit: oneAnHour });
    await store.join("node", "all");
    await store.endTest(await begin(store));
    await store.updateTarget(ref, { rateLimit: null }, null, note());
    await store.endTest(await begin(store));
    await store.updateTarget(ref, { rateLimit: oneAnHour }, null, note());
    expect(await store.beginTest(ref)).toMatchObject({ kind: "over-rate" });
    await store.removeTarget(ref, note());
    await store.createTarget(newTarget("t", { rateLimit: oneAnHour }), note());
    expect(await store.beginTest(ref)).toMatchObject({ kind: "begun" });
  });

  if (!shared) return;

  test("limits of tests hold for all nodes together", async () => {
    const { store, openAnother } = await open();
    await makeTarget(store, "t", { maxConcurrency: 4 });
    const another = await openAnother();
    await store.join("one", "all");
    await another.join("two", "all");
    await limitMessages(store, account, 6);
    const all = [store, another, store, another, store, another, store, another];
    const results = await Promise.all(all.map((each) => each.beginTest(ref)));
    expect(results.filter(({ kind }) => kind === "begun")).toHaveLength(4);
    expect(await usedBy(another)).toBe(4);
  });

  test("tests end with their membership, and a renewal leaves them alone", async () => {
    const { store, openAnother } = await open();
    const { targetKey } = await makeTarget(store, "t", { maxConcurrency: 1 });
    await schedule(store, "t", past);
    const another = await openAnother();
    const one = await store.join("one", "all");
    const two = await another.join("two", "all");
    const claims = async () =>
      (await another.claimDue(two, [{ targetKey, limit: 1 }])).claims.length;
    await begin(store);
    await store.renew(one);
    await store.renew(one);
    expect(await claims()).toBe(0);
    await store.leave(one);
    expect(await claims()).toBe(1);
    await expect(store.beginTest(ref)).rejects.toThrow();
  });
}
