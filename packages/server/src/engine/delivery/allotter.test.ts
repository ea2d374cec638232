import { expect, test } from "vitest";
import { defaultRetryPolicy } from "../../domain/retry-policy.ts";
import { Allotter } from "./allotter.ts";
import type { Grant } from "./allotter.ts";
import { engineBounds } from "./bounds.ts";
import { Capacity } from "./capacity.ts";
import { Lane } from "./lane.ts";
import type { OpenTarget } from "./lane.ts";
import { ReadyLanes } from "./ready-lanes.ts";
import type { Reservation } from "./reservation.ts";

function targetOf(accountId: string, targetKey: number): OpenTarget {
  return {
    ...{ targetKey, accountId, targetId: `t${targetKey}`, kind: "webhook" },
    ...{ sealedSettings: "", sealedSecrets: "", retryPolicy: defaultRetryPolicy },
    ...{ maxConcurrency: 50, rateLimit: null, paused: false, failingAfter: null },
    ...{ creationTime: 0, updateTime: 0, revision: 1 },
    settings: { url: "http://x", headers: {}, contentType: "text/plain", timeoutMs: 1 },
    secrets: { current: "", previous: null, previousUntil: null },
  };
}

/** Ready lanes over some capacity. `needed` lists the targets whose copies are missing. */
function world(maxInFlight: number) {
  const ready = new ReadyLanes();
  const capacity = new Capacity(maxInFlight);
  const copies = new Map<number, OpenTarget>();
  const needed: Lane[] = [];
  const allotter = new Allotter({
    ready,
    capacity,
    copies,
    loader: {
      load(lane) {
        lane.standing = "loading";
        ready.of(lane.accountId).loading++;
        needed.push(lane);
      },
    },
    standings: { rest: (lane) => void (lane.standing = "resting") },
    bounds: engineBounds,
  });
  let targetKeys = 0;
  return {
    ready,
    copies,
    needed,
    capacity,
    next: () => allotter.next(),
    /** A target with more due than can be claimed. */
    add(accountId: string): Lane {
      const lane = new Lane(++targetKeys, accountId);
      copies.set(lane.targetKey, targetOf(accountId, lane.targetKey));
      ready.add(lane);
      return lane;
    },
    loaded(lane: Lane): void {
      ready.of(lane.accountId).loading--;
      lane.loaded = targetOf(lane.accountId!, lane.targetKey);
      ready.add(lane);
    },
    /** Ends all granted attempts, and makes more due. */
    finish(grants: readonly Grant[]): void {
      for (const { lane, reservation } of grants) {
        reservation.releaseRest();
        ready.add(lane);
      }
    },
  };
}

const sumOf = (grants: readonly Grant[], accountId?: string): number =>
  grants
    .filter(({ target }) => accountId === undefined || target.accountId === accountId)
    .reduce((sum, { reservation }) => sum + reservation.size, 0);

test("one target alone gets a whole claim; two accounts get half each, however many targets each has", () => {
  const alone = world(1_000);
  alone.add("one");
  expect(sumOf(alone.next())).toBe(50);

  const { add, next } = world(1_000);
  for (let index = 0; index < 200; index++) add("many");
  add("few");
  const grants = next();
  expect([sumOf(grants, "few"), sumOf(grants, "many")]).toEqual([25, 25]);
});

test("a target that becomes due goes before targets of its account with attempts in flight", () => {
  const { add, next, ready } = world(10_000);
  for (let index = 0; index < 500; index++) add("acc");
  const served = next();
  for (const { lane } of served) ready.add(lane);
  const fresh = new Set<Lane>();
  for (let claims = 0; claims < 9; claims++) for (const { lane } of next()) fresh.add(lane);
  expect(fresh.size).toBe(450);
  for (const { lane } of served) expect(fresh.has(lane)).toBe(false);
  const late = add("acc");
  expect(next()[0]?.lane).toBe(late);
});

test("under overload every target gets its turn, even when others become due again and again", () => {
  const { add, next, finish } = world(10);
  const lanes = new Set<Lane>();
  for (let index = 0; index < 100; index++) lanes.add(add("acc"));
  const served = new Set<Lane>();
  for (let repeat = 0; repeat < 20; repeat++) {
    // As many new targets as there is room for. Each stands behind those that wait already.
    const grants = next();
    for (const { lane } of grants) served.add(lane);
    for (let index = 0; index < 8; index++) add("acc");
    finish(grants);
  }
  expect([...lanes].filter((lane) => !served.has(lane))).toEqual([]);
});

test("an account whose targets hang does not delay another account's turn", () => {
  const { add, next, ready } = world(100);
  for (let index = 0; index < 500; index++) add("hanging");
  for (let claims = 0; claims < 20; claims++) for (const { lane } of next()) ready.add(lane);
  expect(next()).toEqual([]);
  const lane = add("other");
  expect(next().map((grant) => grant.lane)).toEqual([lane]);
});

test("more accounts than one claim serves take turns", () => {
  const { add, next, finish } = world(1_000);
  for (let index = 0; index < 120; index++) add(`account ${index}`);
  const served = new Set<string>();
  for (let claims = 0; claims < 3; claims++) {
    const grants = next();
    for (const { target } of grants) served.add(target.accountId);
    finish(grants);
  }
  expect(served.size).toBe(120);
});

test("an account reads a limited number of targets at a time, others read theirs meanwhile, and none is read twice", () => {
  const { add, next, copies, needed, loaded } = world(1_000);
  for (let index = 0; index < 100; index++) add("many");
  const other = add("few");
  copies.clear();
  expect(next()).toEqual([]);
  expect(needed).toHaveLength(33);
  expect(needed).toContain(other);
  const granted = new Set<Lane>();
  while (needed.length > 0) {
    for (const lane of needed.splice(0)) loaded(lane);
    for (let grants = next(); grants.length > 0; grants = next()) {
      for (const { lane } of grants) {
        expect(granted.has(lane)).toBe(false);
        granted.add(lane);
      }
    }
  }
  expect(granted.size).toBe(101);
});

test("a lane of unknown account is served under its target's account", () => {
  const { ready, copies, next, capacity } = world(100);
  copies.set(7, targetOf("acc", 7));
  ready.add(new Lane(7, null));
  expect(next()).toMatchObject([{ target: { accountId: "acc" }, lane: { accountId: "acc" } }]);
  expect(capacity.taken).toBe(44);
});

test("copies that become outdated while their lanes wait for capacity are read again", () => {
  const { add, next, copies, needed, loaded, ready, capacity } = world(100);
  const lanes = Array.from({ length: 40 }, () => add("acc"));
  copies.clear();
  next();
  const held: Reservation[] = [];
  while (capacity.roomFor("acc") > 0) held.push(capacity.reserve("acc", { inFlight: 0 }, 9)!);
  for (const lane of needed.splice(0)) loaded(lane);
  expect(next()).toEqual([]);
  // The account's targets have changed.
  for (const lane of lanes) if (lane.standing === "ready") ready.unload(lane);
  for (const reservation of held) reservation.releaseRest();
  expect(next()).toEqual([]);
  expect(needed).toHaveLength(32);
});
