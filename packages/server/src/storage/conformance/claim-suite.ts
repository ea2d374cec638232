import { expect, test } from "vitest";
import type { MakeLocation } from "./harness.ts";
import {
  account,
  farFuture,
  makeTarget,
  note,
  otherAccount,
  past,
  refTo,
  resultOf,
  schedule,
  storesOf,
} from "./harness.ts";

const everything = { after: null, until: Infinity, limit: Infinity };

export function claimSuite(makeLocation: MakeLocation): void {
  const open = storesOf(makeLocation);

  test("a due message is claimed once, the longest due first, with all that an attempt needs", async () => {
    const { store } = await open();
    const { targetKey, revision } = await makeTarget(store, "t");
    const second = await schedule(store, "t", past + 1, { payload: "second" });
    const first = await schedule(store, "t", past, { payload: "first" });
    const third = await schedule(store, "t", past + 1, { payload: "third" });
    const holder = await store.join("node", "all");
    const { claims, targets, now } = await store.claimDue(holder, [{ targetKey, limit: 10 }]);
    expect(claims.map((claim) => claim.messageId)).toEqual(
      [first, second, third].map((message) => message.messageId),
    );
    expect(claims[0]).toMatchObject({
      targetKey,
      dueAt: past,
      originalDeliveryTime: past,
      planningTime: first.schedulingTime,
      attemptNumber: 1,
      attemptsThisRound: 0,
      payload: "first",
    });
    expect(targets).toEqual([{ targetKey, revision, nextDueAt: null, closedMs: 0 }]);
    expect(now).toBeGreaterThanOrEqual(first.schedulingTime);
    expect((await store.claimDue(holder, [{ targetKey, limit: 10 }])).claims).toEqual([]);
  });

  test("a claim says when its time was planned, also after a reschedule", async () => {
    const { store } = await open();
    const { targetKey } = await makeTarget(store, "t");
    const message = await schedule(store, "t", farFuture);
    await expect.poll(() => store.clock.now()).toBeGreaterThan(message.schedulingTime + 5);
    await store.rescheduleMessage({ ...refTo(message), deliveryTime: past, waitMs: 0 });
    const holder = await store.join("node", "all");
    const { claims, now } = await store.claimDue(holder, [{ targetKey, limit: 1 }]);
    expect(claims[0]!.planningTime).toBeGreaterThan(message.schedulingTime);
    expect(claims[0]!.planningTime).toBeLessThanOrEqual(now);
  });

  test("nothing is claimed before it is due, and the answer has the next instant", async () => {
    const { store } = await open();
    const { targetKey } = await makeTarget(store, "t");
    await schedule(store, "t", farFuture);
    const holder = await store.join("node", "all");
    const { claims, targets } = await store.claimDue(holder, [{ targetKey, limit: 10 }]);
    expect(claims).toEqual([]);
    expect(targets[0]?.nextDueAt).toBe(farFuture);
  });

  test("a limit holds for each target, and the answer says what is left", async () => {
    const { store } = await open();
    const one = await makeTarget(store, "one");
    const two = await makeTarget(store, "two");
    for (let index = 0; index < 5; index++) {
      await schedule(store, "one", past + index);
      await schedule(store, "two", past + index);
    }
    const holder = await store.join("node", "all");
    const { claims, targets } = await store.claimDue(holder, [
      { targetKey: one.targetKey, limit: 2 },
      { targetKey: two.targetKey, limit: 3 },
    ]);
    expect(claims.map((claim) => claim.targetKey)).toEqual([
      ...Array(2).fill(one.targetKey),
      ...Array(3).fill(two.targetKey),
    ]);
    expect(targets.map((target) => target.nextDueAt)).toEqual([past + 2, past + 3]);
    const rest = await store.claimDue(holder, [{ targetKey: one.targetKey, limit: 2 }]);
    expect(rest.claims.map((claim) => claim.dueAt)).toEqual([past + 2, past + 3]);
  });

  test("a paused target gives no claim and no next instant", async () => {
    const { store } = await open();
    const { targetKey } = await makeTarget(store, "t");
    await schedule(store, "t", past);
    await store.updateTarget({ accountId: account, targetId: "t" }, { paused: true }, null, note());
    const holder = await store.join("node", "all");
    const { claims, targets } = await store.claimDue(holder, [{ targetKey, limit: 1 }]);
    expect(claims).toEqual([]);
    expect(targets[0]?.nextDueAt).toBeNull();
    expect(await store.upcoming(everything)).toEqual({ targets: [], reached: null });
  });

  test("a claim has the revision of its target", async () => {
    const { store } = await open();
    const { targetKey } = await makeTarget(store, "t");
    const holder = await store.join("node", "all");
    const before = await store.claimDue(holder, [{ targetKey, limit: 1 }]);
    await store.updateTarget(
      { accountId: account, targetId: "t" },
      { maxConcurrency: 3 },
      null,
      note(),
    );
    const after = await store.claimDue(holder, [{ targetKey, limit: 1 }]);
    expect(after.targets[0]!.revision).toBeGreaterThan(before.targets[0]!.revision);
  });

  test("upcoming gives the earliest instant of every target with a waiting message", async () => {
    const { store } = await open();
    const one = await makeTarget(store, "one");
    const two = await makeTarget(store, "two");
    await makeTarget(store, "empty");
    await schedule(store, "one", farFuture);
    await schedule(store, "one", past);
    await schedule(store, "two", farFuture);
    const upcoming = await store.upcoming(everything);
    expect(upcoming.targets.toSorted((a, b) => a.targetKey - b.targetKey)).toMatchObject([
      { targetKey: one.targetKey, dueAt: past },
      { targetKey: two.targetKey, dueAt: farFuture },
    ]);
  });

  test("upcoming looks after a position and up to an instant, and sees every target between", async () => {
    const { store } = await open();
    const one = await makeTarget(store, "one");
    const two = await makeTarget(store, "two");
    const three = await makeTarget(store, "three");
    for (const targetId of ["one", "two", "three"]) await schedule(store, targetId, past);
    await schedule(store, "one", past + 10);
    const { targets } = await store.upcoming({
      after: { time: past, targetKey: two.targetKey },
      until: past + 10,
      limit: 100,
    });
    expect(targets.toSorted((a, b) => a.targetKey - b.targetKey)).toMatchObject([
      { targetKey: one.targetKey, dueAt: past + 10 },
      { targetKey: three.targetKey, dueAt: past },
    ]);
    expect(await store.upcoming({ after: null, until: past - 1, limit: 100 })).toEqual({
      targets: [],
      reached: null,
    });
  });

  test("upcoming by target gives each target's earliest instant, a few targets at a time", async () => {
    const { store } = await open();
    const ids = ["one", "two", "three", "four"];
    const keys: number[] = [];
    for (const targetId of ids) keys.push((await makeTarget(store, targetId)).targetKey);
    for (let index = 0; index < 20; index++) await schedule(store, "one", past + index);
    await schedule(store, "two", past + 100);
    await schedule(store, "three", farFuture);
    await schedule(store, "four", past + 50);
    const found = [];
    let [after, looks]: [number | null, number] = [null, 0];
    do {
      const window = { after, until: past + 100, limit: 3 };
      const { targets, reached } = await store.upcomingByTarget(window);
      found.push(...targets);
      after = reached;
      looks++;
    } while (after !== null);
    expect(found).toMatchObject([
      { targetKey: keys[0], dueAt: past },
      { targetKey: keys[1], dueAt: past + 100 },
      { targetKey: keys[3], dueAt: past + 50 },
    ]);
    expect(looks).toBe(2);
  });

  test("upcoming by target skips targets that may not get deliveries", async () => {
    const { store } = await open();
    const { targetKey } = await makeTarget(store, "open");
    await makeTarget(store, "paused", { paused: true });
    await makeTarget(store, "gone");
    await makeTarget(store, "theirs", { accountId: otherAccount });
    for (const targetId of ["open", "paused"]) await schedule(store, targetId, past);
    await schedule(store, "theirs", past, { accountId: otherAccount });
    await store.removeTarget({ accountId: account, targetId: "gone" }, note());
    await store.updateAccount(otherAccount, { state: "SUSPENDED" }, note());
    const window = { after: null, until: Infinity, limit: 1 };
    const first = await store.upcomingByTarget(window);
    expect(first.targets).toMatchObject([{ targetKey, dueAt: past }]);
    expect(await store.upcomingByTarget({ ...window, after: first.reached })).toEqual({
      targets: [],
      reached: null,
    });
  });

  test("a claim that is given back can be claimed again", async () => {
    const { store } = await open();
    const { targetKey } = await makeTarget(store, "t");
    await schedule(store, "t", past);
    const holder = await store.join("node", "all");
    const first = await store.claimDue(holder, [{ targetKey, limit: 1 }]);
    await store.releaseClaims(holder, [first.claims[0]!.messageId]);
    const second = await store.claimDue(holder, [{ targetKey, limit: 1 }]);
    expect(second.claims).toEqual(first.claims);
  });

  test("a node's new membership voids the claims of the old one, and its results are refused", async () => {
    const { store } = await open();
    const { targetKey } = await makeTarget(store, "t");
    const message = await schedule(store, "t", past);
    const old = await store.join("node", "all");
    const [stale] = (await store.claimDue(old, [{ targetKey, limit: 1 }])).claims;
    const young = await store.join("node", "all");
    expect(young.epoch).toBeGreaterThan(old.epoch);
    const [fresh] = (await store.claimDue(young, [{ targetKey, limit: 1 }])).claims;
    expect(fresh?.messageId).toBe(message.messageId);
    expect(await store.recordAttempts(old, [resultOf(stale!, { kind: "delivered" })])).toEqual([
      { kind: "stale" },
    ]);
    await store.releaseClaims(old, [message.messageId]);
    expect((await store.claimDue(young, [{ targetKey, limit: 1 }])).claims).toEqual([]);
    expect(await store.getMessage(refTo(message))).toMatchObject({ state: "SCHEDULED" });
    expect(
      await store.recordAttempts(young, [resultOf(fresh!, { kind: "delivered" })]),
    ).toMatchObject([{ kind: "recorded" }]);
  });

  test("after a restart every unfinished message can be claimed at once", async () => {
    const { store, reopen } = await open();
    const { targetKey } = await makeTarget(store, "t");
    await schedule(store, "t", past);
    await store.claimDue(await store.join("node", "all"), [{ targetKey, limit: 1 }]);
    const again = await reopen();
    const holder = await again.join("node", "all");
    expect((await again.upcoming(everything)).targets).toMatchObject([{ targetKey, dueAt: past }]);
    expect((await again.claimDue(holder, [{ targetKey, limit: 1 }])).claims).toHaveLength(1);
  });

  test("a target's rate limits claims, and the answer says how long it is closed", async () => {
    const { store } = await open();
    const rateLimit = { max: 2, intervalMs: 3_600_000 };
    const { targetKey } = await makeTarget(store, "t", { rateLimit });
    for (let index = 0; index < 5; index++) await schedule(store, "t", past);
    const holder = await store.join("node", "all");
    const first = await store.claimDue(holder, [{ targetKey, limit: 5 }]);
    expect(first.claims).toHaveLength(2);
    expect(first.targets[0]!.closedMs).toBeGreaterThan(1_700_000);
    expect(first.targets[0]!.closedMs).toBeLessThanOrEqual(1_800_000);
    const second = await store.claimDue(holder, [{ targetKey, limit: 5 }]);
    expect(second.claims).toEqual([]);
    expect(second.targets[0]!.closedMs).toBeGreaterThan(0);
  });

  test("a limit delays due messages, and none that are due later", async () => {
    const { store } = await open();
    const rateLimit = { max: 1, intervalMs: 3_600_000 };
    const { targetKey } = await makeTarget(store, "t", { rateLimit });
    await schedule(store, "t", past);
    await schedule(store, "t", farFuture);
    const holder = await store.join("node", "all");
    const { targets } = await store.claimDue(holder, [{ targetKey, limit: 1 }]);
    expect(targets).toMatchObject([{ nextDueAt: farFuture, closedMs: 0 }]);
  });

  test("a restart does not give back what was spent of a rate", async () => {
    const { store, reopen } = await open();
    const rateLimit = { max: 2, intervalMs: 3_600_000 };
    const { targetKey } = await makeTarget(store, "t", { rateLimit });
    for (let index = 0; index < 5; index++) await schedule(store, "t", past);
    const holder = await store.join("node", "all");
    const { claims } = await store.claimDue(holder, [{ targetKey, limit: 5 }]);
    await store.recordAttempts(
      holder,
      claims.map((claim) => resultOf(claim, { kind: "delivered" })),
    );
    const again = await reopen();
    const joined = await again.join("node", "all");
    const after = await again.claimDue(joined, [{ targetKey, limit: 5 }]);
    expect(after.claims).toEqual([]);
    expect(after.targets[0]!.closedMs).toBeGreaterThan(0);
  });
}
