import { expect, test } from "vitest";
import type { MakePlace } from "./harness.ts";
import { makeTarget, past, refTo, resultOf, schedule, storesOf } from "./harness.ts";

/** For stores that several nodes share: what a node's life means, and how it ends. */
export function livesSuite(makePlace: MakePlace): void {
  const open = storesOf(makePlace);

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
    // Worth asking again soon, but not at once and without end.
    expect(third.targets[0]!.nextDueAt).toBeGreaterThan(third.now);
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
    expect(third.targets[0]!.nextDueAt! - third.now).toBeGreaterThan(600_000);
  });

  test("a node that leaves gives back what it holds", async () => {
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

  test("a life that is renewed goes on; one that is not ends, and its results are refused", async () => {
    const { store } = await open({ leaseMs: 400 });
    const { targetKey } = await makeTarget(store, "t");
    const message = await schedule(store, "t", past);
    const [silent, lively] = [await store.join("silent", "all"), await store.join("lively", "all")];
    const [claim] = (await store.claimDue(silent, [{ targetKey, limit: 1 }])).claims;
    expect(await store.endDeadLives()).toBe(0);
    await expect
      .poll(async () => {
        expect(await store.renew(lively)).toBe(true);
        return store.endDeadLives();
      })
      .toBe(1);
    expect(await store.renew(silent)).toBe(false);
    const again = await store.claimDue(lively, [{ targetKey, limit: 1 }]);
    expect(again.claims.map(({ messageId }) => messageId)).toEqual([message.messageId]);
    const late = resultOf(claim!, { kind: "delivered" });
    expect(await store.recordAttempts(silent, [late])).toEqual([{ kind: "stale" }]);
    expect(await store.getMessage(refTo(message))).toMatchObject({ state: "SCHEDULED" });
  });

  test("a cancel that waits for a node that died takes effect", async () => {
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

  test("looking ahead sees what others have scheduled, up to the instant asked for", async () => {
    const { store } = await open();
    const soon = await makeTarget(store, "soon");
    await makeTarget(store, "later");
    const now = store.clock.now();
    await schedule(store, "soon", now + 500);
    await schedule(store, "later", now + 60_000);
    expect(await store.upcoming(now + 1_000)).toEqual([
      { targetKey: soon.targetKey, dueAt: now + 500 },
    ]);
  });

  test("the clock of the store is known to within a few milliseconds", async () => {
    const { store } = await open();
    const holder = await store.join("one", "all");
    const before = store.clock.now();
    const { now } = await store.claimDue(holder, []);
    const after = store.clock.now();
    expect(now).toBeGreaterThanOrEqual(before - 5);
    expect(now).toBeLessThanOrEqual(after + 5);
  });
}
