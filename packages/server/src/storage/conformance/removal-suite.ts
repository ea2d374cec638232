import { expect, test } from "vitest";
import type { Message } from "../../domain/message.ts";
import type { Store } from "../store.ts";
import type { MakeLocation } from "./harness.ts";
import {
  account,
  entriesOf,
  farFuture,
  makeTarget,
  newClient,
  newTarget,
  note,
  otherAccount,
  past,
  refTo,
  resultOf,
  schedule,
  storesOf,
} from "./harness.ts";

const everything = { after: null, until: Infinity, limit: Infinity };
const key = { accountId: account, keyId: "k", name: "", scopes: [], hash: "h" };
const token = { accountId: account, clientId: "c", tokenId: null };

async function remove(store: Store) {
  await store.updateAccount(account, { state: "SUSPENDED" }, note());
  return store.removeAccount(account, note());
}

/** Runs until nothing is left to remove. */
async function sweep(store: Store, limit: number): Promise<number[]> {
  const removed: number[] = [];
  do removed.push((await store.removeExpired(limit)).removed);
  while (removed.at(-1)! > 0);
  return removed;
}

export function removalSuite(makeLocation: MakeLocation): void {
  const open = storesOf(makeLocation);

  test("only a suspended account can be removed, and a refusal leaves no audit entry", async () => {
    const { store } = await open();
    expect(await store.removeAccount("acc_nobody", note())).toEqual({ kind: "not-found" });
    expect(await store.removeAccount(account, note())).toEqual({ kind: "not-suspended" });
    expect(await entriesOf(store, null)).toEqual([]);
    const suspended = await store.updateAccount(account, { state: "SUSPENDED" }, note());
    const entry = note();
    const removed = await store.removeAccount(account, entry);
    expect(removed).toEqual({ kind: "removed", account: suspended });
    expect(await store.removeAccount(account, note())).toEqual({ kind: "not-found" });
    const written = await entriesOf(store);
    expect(written[0]).toMatchObject(entry);
    expect(written).toHaveLength(2);
  });

  test("when the removal resolves, the account's credentials and targets are gone, and only these", async () => {
    const { store, reopen } = await open();
    const scopes = ["scheduler.all.read"] as const;
    const { targetKey } = await makeTarget(store, "t");
    await store.createKey({ ...key, scopes }, note());
    await store.createClient(newClient("c"), note());
    const theirs = { accountId: otherAccount };
    const kept = await makeTarget(store, "t", theirs);
    await store.createKey({ ...key, ...theirs, hash: "theirs" }, note());
    await store.createClient(newClient("d", theirs), note());
    await remove(store);

    const again = await reopen();
    expect(await again.getAccount(account)).toBeUndefined();
    expect(await again.getUsage(account)).toBeUndefined();
    expect((await again.listAccounts({ after: null, limit: 9 })).length).toBe(1);
    expect(await again.updateAccount(account, { state: "ACTIVE" }, note())).toBeUndefined();
    expect(await again.findKey("h")).toBeUndefined();
    expect(await again.listKeys(account)).toEqual([]);
    expect(await again.findClient("c")).toBeUndefined();
    expect(await again.listClients(account)).toEqual([]);
    expect(await again.findTokenHolder(token)).toBeUndefined();
    expect(await again.findTokenHolder({ ...token, clientId: null })).toBeUndefined();
    expect(await again.getTarget({ accountId: account, targetId: "t" })).toBeUndefined();
    expect(await again.getTargetByKey(targetKey)).toBeUndefined();
    expect(await again.listTargets(account, { after: null, limit: 9 })).toEqual([]);

    expect(await again.findKey("theirs")).toBeDefined();
    expect(await again.findClient("d")).toBeDefined();
    expect(await again.getTarget({ ...theirs, targetId: "t" })).toEqual(kept);
  });

  test("nothing can be created in a removed account, and its id is never used again", async () => {
    const { store } = await open();
    await makeTarget(store, "t");
    await remove(store);
    for (const targetId of ["t", "new"]) {
      expect(await store.createTarget(newTarget(targetId), note())).toBe("no-account");
      await expect(schedule(store, targetId, farFuture)).rejects.toThrow("no-target");
    }
    expect(await store.createKey(key, note())).toBeUndefined();
    expect(await store.replaceKey(key, note())).toBeUndefined();
    expect(await store.createClient(newClient("c"), note())).toBeUndefined();
    expect(await store.ensureAccount(account, "Again")).toEqual({ created: false });
    expect(await store.createAccount({ accountId: account, name: "" }, key, [note()])).toBe(
      "exists",
    );
    expect(await store.getAccount(account)).toBeUndefined();
    expect(await store.findKey("h")).toBeUndefined();
    // The target's creation, the suspension and the removal.
    expect(await entriesOf(store, null)).toHaveLength(3);
  });

  test("scheduled messages and dead letters of a removed account go in batches, and no others", async () => {
    const { store } = await open();
    const { targetKey } = await makeTarget(store, "t");
    await makeTarget(store, "u");
    await makeTarget(store, "t", { accountId: otherAccount });
    const holder = await store.join("node", "all");
    const dead: Message[] = [];
    for (const accountId of [account, otherAccount]) {
      for (let index = 0; index < 3; index++) {
        const idempotency = { key: `k${index}`, fingerprint: "f" };
        await schedule(store, "t", farFuture, { accountId, idempotency });
      }
    }
    await schedule(store, "u", past);
    for (let index = 0; index < 2; index++) dead.push(await schedule(store, "t", past));
    const { claims } = await store.claimDue(holder, [{ targetKey, limit: 5 }]);
    await store.recordAttempts(
      holder,
      claims.map((claim) => resultOf(claim, { kind: "dead-letter", reason: "ATTEMPTS_EXHAUSTED" })),
    );
    const delivered = await schedule(store, "t", past);
    const [last] = (await store.claimDue(holder, [{ targetKey, limit: 1 }])).claims;
    await store.recordAttempts(holder, [resultOf(last!, { kind: "delivered" })]);
    expect(await store.counts()).toEqual({ pending: 7 });
    await remove(store);
    expect((await store.upcoming(everything)).targets).toMatchObject([{ dueAt: farFuture }]);
    expect((await store.claimDue(holder, [{ targetKey, limit: 5 }])).claims).toEqual([]);

    const removed = await sweep(store, 2);
    // Four scheduled, two dead, three keys. A limit of two counts messages and keys apart.
    expect(removed.reduce((sum, count) => sum + count, 0)).toBe(9);
    expect(Math.max(...removed)).toBeLessThanOrEqual(4);
    expect(await store.counts()).toEqual({ pending: 3 });
    for (const message of dead) {
      expect(await store.getMessage(refTo(message))).toBeUndefined();
      expect(await store.listAttempts(refTo(message))).toBeUndefined();
    }
    const list = { accountId: otherAccount, targetId: "t", minTime: null, maxTime: null };
    expect(await store.listScheduledMessages({ ...list, after: null, limit: 9 })).toHaveLength(3);
    const idempotency = { key: "k0", fingerprint: "other" };
    await expect(
      schedule(store, "t", farFuture, { accountId: otherAccount, idempotency }),
    ).rejects.toThrow("key-reused");
    // A delivered message stays on record until it expires, though nobody can ask for it.
    expect((await store.removeExpired(9)).nextExpiry).toBeGreaterThan(delivered.schedulingTime);
  });

  test("a message in flight stays until its attempt has ended, and then goes too", async () => {
    const { store } = await open();
    const { targetKey } = await makeTarget(store, "t");
    await schedule(store, "t", past);
    await schedule(store, "t", farFuture);
    const holder = await store.join("node", "all");
    const [claim] = (await store.claimDue(holder, [{ targetKey, limit: 5 }])).claims;
    await remove(store);
    const { removed, nextExpiry } = await store.removeExpired(10);
    expect(removed).toBe(1);
    expect(nextExpiry).toBeLessThanOrEqual(store.clock.now() + 10);
    expect(await store.counts()).toEqual({ pending: 1 });
    expect(
      await store.recordAttempts(holder, [resultOf(claim!, { kind: "retry", delayMs: 0 })]),
    ).toMatchObject([{ kind: "recorded" }]);
    expect((await store.claimDue(holder, [{ targetKey, limit: 5 }])).claims).toEqual([]);
    expect(await sweep(store, 10)).toEqual([1, 0]);
    expect(await store.counts()).toEqual({ pending: 0 });
    expect(await store.removeExpired(10)).toEqual({ removed: 0, nextExpiry: null });
  });

  test("a message scheduled during the removal is removed too, or finds no target", async () => {
    const { store } = await open();
    for (const id of ["a", "b", "c"]) await makeTarget(store, id);
    const schedulers = Array.from({ length: 40 }, async (_, index) => {
      const ids = index % 2 === 0 ? ["a", "b", "c"] : ["c", "b", "a"];
      const results = await store.scheduleMessages(
        ids.map((targetId) => ({
          ...{ accountId: account, targetId, deliveryTime: farFuture, payload: "x" },
          options: null,
          idempotency: index % 4 === 0 ? { key: `${targetId}${index}`, fingerprint: "f" } : null,
        })),
      );
      for (const { kind } of results) expect(["scheduled", "no-target"]).toContain(kind);
    });
    const removed = remove(store);
    await Promise.all(schedulers);
    expect((await removed).kind).toBe("removed");
    await sweep(store, 50);
    expect(await store.counts()).toEqual({ pending: 0 });
    await expect(schedule(store, "a", farFuture)).rejects.toThrow("no-target");
  });
}
