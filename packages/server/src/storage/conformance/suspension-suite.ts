import { expect, test } from "vitest";
import type { Store } from "../store.ts";
import type { MakeLocation } from "./harness.ts";
import {
  account,
  entriesOf,
  farFuture,
  makeTarget,
  newClient,
  note,
  otherAccount,
  past,
  refTo,
  resultOf,
  schedule,
  storesOf,
} from "./harness.ts";

const everything = { after: null, until: Infinity, limit: Infinity };
const suspend = (store: Store) => store.updateAccount(account, { state: "SUSPENDED" }, note());
const resume = (store: Store) => store.updateAccount(account, { state: "ACTIVE" }, note());

export function suspensionSuite(makeLocation: MakeLocation): void {
  const open = storesOf(makeLocation);

  test("a suspended account keeps its suspension time until it is resumed", async () => {
    const { store, reopen } = await open();
    const suspended = await suspend(store);
    expect(suspended).toMatchObject({ state: "SUSPENDED", suspensionTime: expect.any(Number) });
    await expect.poll(() => store.clock.now()).toBeGreaterThan(suspended!.suspensionTime! + 2);
    expect(await suspend(store)).toEqual(suspended);
    expect(await entriesOf(store)).toHaveLength(1);
    const again = await reopen();
    expect(await again.getAccount(account)).toEqual(suspended);
    expect(await again.updateAccount(account, { name: "X" }, note())).toMatchObject({
      suspensionTime: suspended!.suspensionTime,
    });
    expect(await resume(again)).toMatchObject({ state: "ACTIVE", suspensionTime: null });
    expect(await again.getAccount(otherAccount)).toMatchObject({ state: "ACTIVE" });
  });

  test("messages of a suspended account are neither claimed nor upcoming until it is resumed", async () => {
    const { store } = await open();
    const mine = await makeTarget(store, "t");
    const theirs = await makeTarget(store, "t", { accountId: otherAccount });
    await schedule(store, "t", past, { payload: "due before" });
    await schedule(store, "t", past, { payload: "theirs", accountId: otherAccount });
    await suspend(store);
    await schedule(store, "t", past, { payload: "due meanwhile" });
    await schedule(store, "t", farFuture);
    const holder = await store.join("node", "all");
    const both = [mine, theirs].map(({ targetKey }) => ({ targetKey, limit: 5 }));
    const { claims, targets } = await store.claimDue(holder, both);
    expect(claims.map(({ payload }) => payload)).toEqual(["theirs"]);
    expect(targets.map(({ targetKey, nextDueAt }) => [targetKey, nextDueAt])).toEqual([
      [mine.targetKey, null],
      [theirs.targetKey, null],
    ]);
    const upcoming = async () =>
      (await store.upcoming(everything)).targets.filter(
        (each) => each.targetKey === mine.targetKey,
      );
    expect(await upcoming()).toEqual([]);

    await resume(store);
    expect(await upcoming()).toMatchObject([{ targetKey: mine.targetKey, dueAt: past }]);
    const resumed = await store.claimDue(holder, both);
    expect(resumed.claims.map(({ payload }) => payload)).toEqual(["due before", "due meanwhile"]);
    expect(resumed.targets[0]?.nextDueAt).toBe(farFuture);
  });

  test("a target created during the suspension waits too", async () => {
    const { store } = await open();
    await suspend(store);
    const { targetKey } = await makeTarget(store, "t");
    await schedule(store, "t", past);
    const holder = await store.join("node", "all");
    expect((await store.claimDue(holder, [{ targetKey, limit: 5 }])).claims).toEqual([]);
  });

  test("a paused target stays paused when its account is resumed", async () => {
    const { store } = await open();
    const { targetKey } = await makeTarget(store, "t", { paused: true });
    await schedule(store, "t", past);
    await suspend(store);
    await resume(store);
    const holder = await store.join("node", "all");
    expect((await store.claimDue(holder, [{ targetKey, limit: 5 }])).claims).toEqual([]);
    expect((await store.upcoming(everything)).targets).toEqual([]);
  });

  test("an attempt in flight ends as usual", async () => {
    const { store } = await open();
    const { targetKey } = await makeTarget(store, "t");
    const message = await schedule(store, "t", past);
    const retried = await schedule(store, "t", past + 1);
    const holder = await store.join("node", "all");
    const { claims } = await store.claimDue(holder, [{ targetKey, limit: 5 }]);
    await suspend(store);
    const results = await store.recordAttempts(holder, [
      resultOf(claims[0]!, { kind: "delivered" }),
      resultOf(claims[1]!, { kind: "retry", delayMs: 0 }),
    ]);
    expect(results).toMatchObject([{ kind: "recorded" }, { kind: "recorded" }]);
    expect(await store.getMessage(refTo(message))).toMatchObject({ state: "DELIVERED" });
    expect(await store.getMessage(refTo(retried))).toMatchObject({ deliveryFailureCount: 1 });
    expect((await store.claimDue(holder, [{ targetKey, limit: 5 }])).claims).toEqual([]);
  });

  test("when the suspension resolves, nothing more is claimed, even by claims under way", async () => {
    const { store } = await open();
    const made = await Promise.all(["a", "b", "c"].map((id) => makeTarget(store, id)));
    for (let index = 0; index < 60; index++) await schedule(store, "abc"[index % 3]!, past);
    const holder = await store.join("one", "all");
    const requests = made.map(({ targetKey }) => ({ targetKey, limit: 1 }));
    let suspended = false;
    const claimedAfter: number[] = [];
    const claiming = Array.from({ length: 15 }, async () => {
      const { claims } = await store.claimDue(holder, requests);
      // A claim answered after the suspension may have begun before it. A claim that begins later
      // must get nothing.
      const again = suspended ? await store.claimDue(holder, requests) : undefined;
      claimedAfter.push(again?.claims.length ?? 0);
      return claims.length;
    });
    await suspend(store);
    suspended = true;
    const inFlight = async (): Promise<number> =>
      (await store.listNodes()).reduce((sum, node) => sum + node.inFlight, 0);
    const atTheAnswer = await inFlight();
    await Promise.all(claiming);
    expect(await inFlight()).toBe(atTheAnswer);
    expect(claimedAfter.every((count) => count === 0)).toBe(true);
    expect((await store.claimDue(holder, requests)).claims).toEqual([]);
  });

  test("the credentials of a suspended account are found together with its state", async () => {
    const { store } = await open();
    const scopes = ["scheduler.all.read"] as const;
    await store.createKey({ accountId: account, keyId: "k", name: "", scopes, hash: "h" }, note());
    await store.createClient(newClient("c"), note());
    const suspended = await suspend(store);
    expect((await store.findKey("h"))?.account).toEqual(suspended);
    expect((await store.findClient("c"))?.account).toEqual(suspended);
    const token = { accountId: account, clientId: "c", tokenId: "j" };
    expect((await store.findTokenHolder(token))?.account).toEqual(suspended);
  });
}
