import { expect, test } from "vitest";
import type { Timer } from "../../platform/timers.ts";
import type { EndedMemberships } from "../../storage/store.ts";
import { Membership } from "./membership.ts";
import type { MembershipOptions } from "./membership.ts";

const leaseMs = 1_000;

/** A clock that the test moves, and a store whose calls take as long as the test says. */
function play(storeMs: {
  readonly join?: number;
  readonly renew: number;
  readonly endLapsedMemberships: number;
  /** What the store says to a renewal: whether the membership is alive. */
  readonly isAlive?: () => boolean;
  /** What the store says to a look around. */
  readonly ended?: (now: number) => Partial<EndedMemberships>;
}) {
  let now = 0;
  let waiting: { readonly at: number; readonly callback: () => void }[] = [];
  const after = (delayMs: number, callback: () => void): Timer => {
    const entry = { at: now + delayMs, callback };
    waiting.push(entry);
    return { cancel: () => (waiting = waiting.filter((other) => other !== entry)) };
  };
  const taking = async <Value>(ms: number, value: Value): Promise<Value> =>
    ms === 0 ? value : new Promise((resolve) => after(ms, () => resolve(value)));
  const seen = {
    ...{ renewedAt: [] as number[], lookedAround: 0, lost: 0, joined: 0 },
    goneAt: [] as number[],
    troubles: [] as unknown[],
    /** From when each lease counts. */
    grantedFrom: [] as number[],
  };
  const options: MembershipOptions = {
    store: {
      sharing: { leaseMs, credentialMs: 100 },
      join: (nodeId) => taking(storeMs.join ?? 0, { nodeId, epoch: 1 }),
      async renew() {
        await taking(storeMs.renew, null);
        seen.renewedAt.push(now);
        return storeMs.isAlive?.() ?? true;
      },
      leave: async () => {},
      async endLapsedMemberships() {
        seen.lookedAround++;
        return taking(storeMs.endLapsedMemberships, {
          ...{ count: 0, targetKeys: [], areSomeGone: false, nextEndMs: null },
          ...storeMs.ended?.(now),
        });
      },
      listNodes: async () => [],
    },
    clock: { now: () => now, monotonic: () => now },
    timers: { after },
    observer: {
      leaseGranted: (askedAt) => seen.grantedFrom.push(askedAt),
      trouble: (error) => seen.troubles.push(error),
    },
    nodeId: "n",
    role: "all",
    onJoined: () => seen.joined++,
    onNodes: () => {},
    onFreed: () => {},
    onGone: () => seen.goneAt.push(now),
    onLost: () => seen.lost++,
  };
  const goTo = async (time: number): Promise<void> => {
    for (;;) {
      await new Promise(setImmediate);
      const next = waiting.toSorted((one, other) => one.at - other.at)[0];
      if (next === undefined || next.at > time) break;
      waiting = waiting.filter((entry) => entry !== next);
      now = Math.max(now, next.at);
      next.callback();
    }
    now = time;
  };
  const sleepUntil = (time: number): void => void (now = time);
  return { membership: new Membership(options), seen, goTo, sleepUntil };
}

test("a lease is renewed four times in its length, and nothing is lost", async () => {
  const { membership, seen, goTo } = play({ renew: 10, endLapsedMemberships: 10 });
  await membership.start();
  await goTo(10 * leaseMs);
  expect(seen.renewedAt.length).toBeGreaterThan(35);
  expect(seen.lookedAround).toBe(1 + seen.renewedAt.length);
  // A lease counts from the request. That of the joining came first.
  expect(seen.grantedFrom).toEqual([0, ...seen.renewedAt.map((at) => at - 10)]);
  expect(seen.lost).toBe(0);
  expect(seen.troubles).toEqual([]);
});

test("ending lapsed memberships may take longer than the lease, and delays no renewal", async () => {
  const { membership, seen, goTo } = play({ renew: 10, endLapsedMemberships: 3 * leaseMs });
  await membership.start();
  await goTo(10 * leaseMs);
  expect(seen.renewedAt.length).toBeGreaterThan(35);
  expect(seen.lost).toBe(0);
  expect(seen.lookedAround).toBeGreaterThan(1);
  expect(seen.lookedAround).toBeLessThan(5);
});

test("a renewal that comes too late fences the node, which joins again", async () => {
  const { membership, seen, goTo } = play({ renew: 2 * leaseMs, endLapsedMemberships: 10 });
  await membership.start();
  await goTo(leaseMs);
  expect(seen.lost).toBe(1);
  expect(membership.holder).toBeUndefined();
  await goTo(2.6 * leaseMs);
  expect(membership.holder).toBeDefined();
  expect(seen.lost).toBe(1);
});

test("a membership that was granted late is renewed before it ends", async () => {
  const { membership, seen, goTo } = play({ join: 700, renew: 50, endLapsedMemberships: 10 });
  const started = membership.start();
  await goTo(700);
  await started;
  expect(seen.joined).toBe(1);
  await goTo(10 * leaseMs);
  expect(seen.lost).toBe(0);
  expect(membership.holder).toBeDefined();
});

test("a process that wakes up after its lease has lapsed and renews first goes on, and hears that it may act", async () => {
  const { membership, seen, goTo, sleepUntil } = play({ renew: 0, endLapsedMemberships: 10 });
  await membership.start();
  expect(seen.joined).toBe(1);
  sleepUntil(0.9 * leaseMs);
  expect(membership.holder).toBeUndefined();
  await goTo(0.95 * leaseMs);
  expect(seen.lost).toBe(0);
  expect(membership.holder).toBeDefined();
  expect(seen.joined).toBe(2);
});

test("a node that hears of the end of its membership joins again at once", async () => {
  let isAlive = true;
  const { membership, seen, goTo } = play({
    ...{ renew: 10, endLapsedMemberships: 10 },
    isAlive: () => isAlive,
  });
  await membership.start();
  isAlive = false;
  await goTo(0.25 * leaseMs + 10);
  expect(seen.lost).toBe(1);
  expect(membership.holder).toBeDefined();
  expect(seen.joined).toBe(2);
});

test("an answer that arrives after the node has fenced itself ends the membership, and the node joins again at once", async () => {
  const { membership, seen, goTo, sleepUntil } = play({ renew: 10, endLapsedMemberships: 10 });
  await membership.start();
  sleepUntil(0.9 * leaseMs);
  await goTo(0.9 * leaseMs + 10);
  expect(seen.lost).toBe(1);
  expect(membership.holder).toBeDefined();
  expect(seen.joined).toBe(2);
});

test("a node looks around at the moment when another's lease is over, and says that it is gone", async () => {
  const overAt = 1_130;
  const { membership, seen, goTo } = play({
    ...{ renew: 0, endLapsedMemberships: 0 },
    ended: (now) =>
      now < overAt ? { nextEndMs: overAt - now } : { areSomeGone: seen.goneAt.length === 0 },
  });
  await membership.start();
  await goTo(overAt - 1);
  expect(seen.goneAt).toEqual([]);
  const before = seen.lookedAround;
  await goTo(2 * leaseMs);
  expect(seen.goneAt).toEqual([overAt]);
  // One more than at each renewal.
  const renewed = seen.renewedAt.filter((at) => at >= overAt);
  expect(seen.lookedAround - before).toBe(1 + renewed.length);
  await membership.stop();
});

test("a node that has stopped looks around no more", async () => {
  const { membership, seen, goTo } = play({
    ...{ renew: 0, endLapsedMemberships: 0 },
    ended: () => ({ nextEndMs: 100 }),
  });
  await membership.start();
  await goTo(50);
  await membership.stop();
  const before = seen.lookedAround;
  await goTo(2 * leaseMs);
  expect(seen.lookedAround).toBe(before);
});
