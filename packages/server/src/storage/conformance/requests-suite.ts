import { expect, test } from "vitest";
import type { RequestTaken, Store } from "../store.ts";
import type { MakeLocation } from "./harness.ts";
import { account, hour, note, otherAccount, storesOf } from "./harness.ts";

const limit = { max: 4, intervalMs: hour };
const take = (accountId = account, of = limit) => ({ accountId, limit: of });
const takeOne = async (store: Store, ...given: Parameters<typeof take>): Promise<RequestTaken> =>
  (await store.takeRequests([take(...given)]))[0]!;
const allowedOf = (taken: readonly RequestTaken[]): number =>
  taken.filter(({ allowed }) => allowed).length;

export function requestsSuite(
  makeLocation: MakeLocation,
  { shared }: { readonly shared: boolean },
): void {
  const open = storesOf(makeLocation);
  const openSeveral = async () => {
    const { store, openAnother } = await open();
    return shared ? [store, await openAnother(), await openAnother()] : [store];
  };

  test("requests use a limit up; then they are refused, and the answer says for how long", async () => {
    const { store } = await open();
    const taken: RequestTaken[] = [];
    for (let index = 0; index < 6; index++) taken.push(await takeOne(store));
    expect(taken.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
      ...[3, 2, 1, 0].map((remaining) => [true, remaining]),
      ...[false, false].map((allowed) => [allowed, 0]),
    ]);
    const spacing = hour / 4;
    for (const { opensInMs } of taken.slice(0, 3)) expect(opensInMs).toBe(0);
    for (const { opensInMs } of taken.slice(3)) {
      expect(opensInMs).toBeGreaterThan(spacing - 10_000);
      expect(opensInMs).toBeLessThanOrEqual(spacing);
    }
    for (const [index, { fullInMs }] of taken.entries()) {
      const missing = Math.min(index + 1, 4) * spacing;
      expect(fullInMs).toBeGreaterThan(missing - 10_000);
      expect(fullInMs).toBeLessThanOrEqual(missing);
    }
  });

  test("requests in one call count one after the other, each for its account", async () => {
    const { store } = await open();
    const mixed = [account, otherAccount, account, account, account, otherAccount, account];
    const taken = await store.takeRequests(mixed.map((accountId) => take(accountId)));
    const seen = (accountId: string) =>
      taken
        .filter((_, index) => mixed[index] === accountId)
        .map(({ allowed, remaining }) => (allowed ? remaining : "refused"));
    expect(seen(account)).toEqual([3, 2, 1, 0, "refused"]);
    expect(seen(otherAccount)).toEqual([3, 2]);
    expect(await store.takeRequests([])).toEqual([]);
  });

  test("a refused request costs nothing: the next one is allowed at the promised time", async () => {
    const { store } = await open();
    const slow = { max: 2, intervalMs: 3_600_000 };
    const ofOther = (count: number) => Array(count).fill(take(otherAccount, slow));
    expect(allowedOf(await store.takeRequests(ofOther(52)))).toBe(2);
    expect(allowedOf(await store.takeRequests(ofOther(50)))).toBe(0);
    const brisk = { max: 2, intervalMs: 400 };
    const [, , ...refused] = await store.takeRequests(Array(52).fill(take(account, brisk)));
    expect(allowedOf(refused)).toBe(0);
    const opensAt = store.clock.now() + refused[49]!.opensInMs;
    expect(refused[49]!.opensInMs).toBeLessThanOrEqual(200);
    await expect
      .poll(() => takeOne(store, account, brisk), { interval: 5 })
      .toMatchObject({
        allowed: true,
      });
    expect(store.clock.now()).toBeGreaterThanOrEqual(opensAt - 20);
  });

  test("a changed limit takes effect at once, and the old one does not keep it closed", async () => {
    const { store } = await open();
    expect(allowedOf(await store.takeRequests(Array(9).fill(take())))).toBe(4);
    const raised = { max: 100, intervalMs: 100 };
    await expect.poll(() => takeOne(store, account, raised)).toMatchObject({ allowed: true });
    expect((await takeOne(store, account, raised)).remaining).toBeLessThan(100);
  });

  test("concurrent callers on all nodes are allowed exactly as many requests as the limit", async () => {
    const stores = await openSeveral();
    const wide = { max: 100, intervalMs: 24 * hour };
    const ids = [account, otherAccount, "acc_three"];
    const taken = new Map<string, RequestTaken[]>(ids.map((id) => [id, []]));
    const caller = async (index: number): Promise<void> => {
      const store = stores[index % stores.length]!;
      // The order alternates: calls must not wait for each other's locks in a circle.
      const order = index % 2 === 0 ? ids : ids.toReversed();
      for (let round = 0; round < 4; round++) {
        const results = await store.takeRequests(order.map((id) => take(id, wide)));
        for (const [index, result] of results.entries()) taken.get(order[index]!)!.push(result);
      }
    };
    await Promise.all(Array.from({ length: 90 }, (_, index) => caller(index)));
    for (const results of taken.values()) {
      expect(results).toHaveLength(360);
      expect(allowedOf(results)).toBe(100);
      const left = results.filter(({ allowed }) => allowed).map(({ remaining }) => remaining);
      expect(left.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, n) => n));
    }
  });

  test("a removed account leaves no used bucket behind", async () => {
    const { store } = await open();
    await store.takeRequests(Array(4).fill(take()));
    await store.updateAccount(account, { state: "SUSPENDED" }, note());
    await store.removeAccount(account, note());
    expect(await takeOne(store)).toMatchObject({ allowed: true, remaining: 3 });
  });
}
