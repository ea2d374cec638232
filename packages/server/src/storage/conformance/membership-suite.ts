import { expect, test } from "vitest";
import type { MakeLocation } from "./harness.ts";
import { account, makeTarget, note, past, refTo, resultOf, schedule, storesOf } from "./harness.ts";

/** For stores that several nodes share: what a node's membership means, and how it ends. */
export function membershipSuite(makeLocation: MakeLocation): void {
  const open = storesOf(makeLocation);

  test("two nodes never claim the same message", async () => {
    const { store } = await open();
    const { targetKey } = await makeTarget(store, "t");
    for (let index = 0; index < 40; index++) await schedule(store, "t", past);
    const [one, two] = [await store.join("one", "all"), await store.join("two", "all")];
    const claimed: string[] = [];
    for (let round = 0; round < 20 && claimed.length < 40; round++) {
      const results = await Promise.all(
        [one, two, one, two].map((holder) => store.claimDue(holder, [{ targetKey, limit: 5 }])),
      );
      claimed.push(...results.flatMap(({ claims }) => claims.map((claim) => claim.messageId)));
    }
    expect(claimed).toHaveLength(40);
    expect(new Set(claimed).size).toBe(40);
  });

  test("a target's concurrency holds for all nodes together", async () => {
    const { store } = await open();
    const { targetKey } = await makeTarget(store, "t", { maxConcurrency: 3 });
    for (let index = 0; index < 10; index++) await schedule(store, "t", past);
    const [one, two] = [await store.join("one", "all"), await store.join("two", "all")];
    const first = await store.claimDue(one, [{ targetKey, limit: 2 }]);
    const second = await store.claimDue(two, [{ targetKey, limit: 9 }]);
    expect([first.claims.length, second.claims.length]).toEqual([2, 1]);
    const third = await store.claimDue(two, [{ targetKey, limit: 9 }]);
    expect(third.claims).toEqual([]);
    // The caller should ask again soon, but not in a busy loop.
    expect(third.targets[0]!.closedMs).toBeGreaterThan(0);
    await store.recordAttempts(one, [resultOf(first.claims[0]!, { kind: "delivered" })]);
    expect((await store.claimDue(two, [{ targetKey, limit: 9 }])).claims).toHaveLength(1);
  });

  test("a target's rate holds for all nodes together", async () => {
    const { store } = await open();
    const rateLimit = { max: 4, intervalMs: 3_600_000 };
    const { targetKey } = await makeTarget(store, "t", { rateLimit });
    for (let index = 0; index < 10; index++) await schedule(store, "t", past);
    const [one, two] = [await store.join("one", "all"), await store.join("two", "all")];
    const first = await store.claimDue(one, [{ targetKey, limit: 3 }]);
    const second = await store.claimDue(two, [{ targetKey, limit: 3 }]);
    expect([first.claims.length, second.claims.length]).toEqual([3, 1]);
    const third = await store.claimDue(one, [{ targetKey, limit: 3 }]);
    expect(third.claims).toEqual([]);
    expect(third.targets[0]!.closedMs).toBeGreaterThan(600_000);
  });

  test("a raised rate takes effect at once, however long the old one had closed the target", async () => {
    const { store } = await open();
    const rateLimit = { max: 1, intervalMs: 3_600_000 };
    const { targetKey } = await makeTarget(store, "t", { rateLimit });
    for (let index = 0; index < 5; index++) await schedule(store, "t", past);
    const holder = await store.join("one", "all");
    const claimUpTo5 = async (): Promise<number> =>
      (await store.claimDue(holder, [{ targetKey, limit: 5 }])).claims.length;
    expect([await claimUpTo5(), await claimUpTo5()]).toEqual([1, 0]);
    const raised = { rateLimit: { max: 100, intervalMs: 200 } };
    await store.updateTarget({ accountId: account, targetId: "t" }, raised, null, note());
    let claimed = 0;
    await expect.poll(async () => (claimed += await claimUpTo5()), { timeout: 3_000 }).toBe(4);
  });

  test("a node that leaves gives back its claims", async () => {
    const { store } = await open();
    const { targetKey } = await makeTarget(store, "t");
    await schedule(store, "t", past);
    const [one, two] = [await store.join("one", "all"), await store.join("two", "all")];
    const { claims } = await store.claimDue(one, [{ targetKey, limit: 1 }]);
    expect((await store.claimDue(two, [{ targetKey, limit: 1 }])).claims).toEqual([]);
    await store.leave(one);
    expect((await store.claimDue(two, [{ targetKey, limit: 1 }])).claims).toEqual(claims);
    expect(await store.renew(one)).toBe(false);
    expect((await store.claimDue(one, [{ targetKey, limit: 1 }])).claims).toEqual([]);
  });

  test("a renewed membership continues; without renewal it ends, and its results are refused", async () => {
    // Long enough that a busy machine renews in time.
    const { store } = await open({ leaseMs: 2_000 });
    const { targetKey } = await makeTarget(store, "t");
    const message = await schedule(store, "t", past);
    const [silent, lively] = [await store.join("silent", "all"), await store.join("lively", "all")];
    const [claim] = (await store.claimDue(silent, [{ targetKey, limit: 1 }])).claims;
    expect(await store.endLapsedMemberships()).toMatchObject({ count: 0, targetKeys: [] });
    await expect
      .poll(
        async () => {
          expect(await store.renew(lively)).toBe(true);
          return store.endLapsedMemberships();
        },
        { timeout: 15_000 },
      )
      .toMatchObject({ count: 1, targetKeys: [targetKey] });
    expect(await store.renew(silent)).toBe(false);
    const again = await store.claimDue(lively, [{ targetKey, limit: 1 }]);
    expect(again.claims.map(({ messageId }) => messageId)).toEqual([message.messageId]);
    const late = resultOf(claim!, { kind: "delivered" });
    expect(await store.recordAttempts(silent, [late])).toEqual([{ kind: "stale" }]);
    expect(await store.getMessage(refTo(message))).toMatchObject({ state: "SCHEDULED" });
  });

  test("a cancel that waits for a dead node takes effect", async () => {
    const { store, whenWaiting } = await open();
    const { targetKey } = await makeTarget(store, "t");
    const message = await schedule(store, "t", past);
    const one = await store.join("one", "all");
    await store.claimDue(one, [{ targetKey, limit: 1 }]);
    const cancelling = store.cancelMessage({ ...refTo(message), waitMs: 60_000 });
    await whenWaiting(1);
    await store.leave(one);
    expect(await cancelling).toMatchObject({ kind: "changed", message: { state: "CANCELLED" } });
  });

  test("a look ahead sees what other nodes have scheduled, up to the given instant", async () => {
    const { store } = await open();
    const soon = await makeTarget(store, "soon");
    await makeTarget(store, "later");
    const now = store.clock.now();
    await schedule(store, "soon", now + 500);
    await schedule(store, "later", now + 60_000);
    expect(await store.upcoming({ after: null, until: now + 1_000, limit: 100 })).toEqual({
      targets: [
        {
          accountId: soon.accountId,
          targetKey: soon.targetKey,
          revision: soon.revision,
          dueAt: now + 500,
        },
      ],
      reached: null,
    });
  });

  test("a message in flight is not upcoming", async () => {
    const { store } = await open();
    const { targetKey } = await makeTarget(store, "t");
    for (const time of [past, past + 1, past + 2]) await schedule(store, "t", time);
    const holder = await store.join("one", "all");
    const window = { after: null, until: past + 2, limit: 10 };
    await store.claimDue(holder, [{ targetKey, limit: 2 }]);
    const { targets } = await store.upcomingByTarget(window);
    expect(targets).toMatchObject([{ targetKey, dueAt: past + 2 }]);
    await store.claimDue(holder, [{ targetKey, limit: 1 }]);
    expect((await store.upcomingByTarget(window)).targets).toEqual([]);
  });

  test("paging through overdue messages, a few at a time, misses no target", async () => {
    const { store } = await open();
    const crowded = await makeTarget(store, "crowded");
    const lonely = await makeTarget(store, "lonely");
    const hidden = await makeTarget(store, "hidden");
    for (let index = 0; index < 30; index++) await schedule(store, "crowded", past + (index % 5));
    await schedule(store, "hidden", past + 2);
    await schedule(store, "lonely", past + 9);
    const found = new Set<number>();
    let after = null;
    let looks = 0;
    do {
      const { targets, reached } = await store.upcoming({ after, until: past + 9, limit: 4 });
      for (const { targetKey } of targets) found.add(targetKey);
      after = reached;
      looks++;
    } while (after !== null);
    expect([...found].toSorted((a, b) => a - b)).toEqual(
      [crowded, lonely, hidden].map(({ targetKey }) => targetKey),
    );
    // One look passes over all messages of a target at the same instant.
    expect(looks).toBeLessThan(9);
  });

  test("a target's change waits for claims under way, and every later claim sees it", async () => {
    const { store } = await open();
    const { targetKey } = await makeTarget(store, "t", { maxConcurrency: 500 });
    for (let index = 0; index < 60; index++) await schedule(store, "t", past);
    const holder = await store.join("one", "all");
    let paused = false;
    const claimedAfter: number[] = [];
    const claiming = Array.from({ length: 20 }, async () => {
      const wasPaused = paused;
      const { claims } = await store.claimDue(holder, [{ targetKey, limit: 1 }]);
      if (wasPaused) claimedAfter.push(claims.length);
    });
    await store.updateTarget({ accountId: account, targetId: "t" }, { paused: true }, null, note());
    paused = true;
    await Promise.all(claiming);
    const { claims } = await store.claimDue(holder, [{ targetKey, limit: 60 }]);
    expect([...claimedAfter, claims.length].every((count) => count === 0)).toBe(true);
  });

  test("many nodes that claim at once never exceed a target's concurrency", async () => {
    const { store } = await open();
    const { targetKey } = await makeTarget(store, "t", { maxConcurrency: 7 });
    for (let index = 0; index < 60; index++) await schedule(store, "t", past);
    const holders = await Promise.all(
      ["a", "b", "c", "d"].map((nodeId) => store.join(nodeId, "all")),
    );
    for (let round = 0; round < 6; round++) {
      const results = await Promise.all(
        [...holders, ...holders].map(async (holder) => ({
          holder,
          claims: (await store.claimDue(holder, [{ targetKey, limit: 4 }])).claims,
        })),
      );
      const inFlight = (await store.listNodes()).reduce((sum, node) => sum + node.inFlight, 0);
      expect(inFlight).toBeLessThanOrEqual(7);
      expect(inFlight).toBeGreaterThan(0);
      for (const { holder, claims } of results) {
        await store.recordAttempts(
          holder,
          claims.map((claim) => resultOf(claim, { kind: "delivered" })),
        );
      }
    }
  });

  test("a node knows the store's clock to within a few milliseconds", async () => {
    const { store } = await open();
    const holder = await store.join("one", "all");
    const before = store.clock.now();
    const { now } = await store.claimDue(holder, []);
    const after = store.clock.now();
    expect(now).toBeGreaterThanOrEqual(before - 5);
    expect(now).toBeLessThanOrEqual(after + 5);
  });
}
