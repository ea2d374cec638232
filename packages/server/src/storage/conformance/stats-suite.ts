import { expect, test } from "vitest";
import { countAttempt, keptMs, noActivity } from "../../domain/activity.ts";
import type { ActivityAddition, ActivityCounts } from "../../domain/activity.ts";
import type { Instant } from "../../domain/message.ts";
import { bucketMs } from "../../domain/time-buckets.ts";
import { DeadLetterGroups } from "../dead-letter-groups.ts";
import type { CountRequest, DeadLetterGroup, GroupRequest, Store, TargetLook } from "../store.ts";
import {
  account,
  exhausted,
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
import type { MakeLocation } from "./harness.ts";

const { minute, hour } = bucketMs;
const noon = Date.UTC(2026, 10, 18, 12);

const everything = { targetId: null, after: null } as const;

/** Counts to the end, however many calls that takes. */
async function countAll(
  store: Store,
  request: Pick<CountRequest, "list" | "edges"> & Partial<CountRequest>,
): Promise<readonly number[]> {
  const sums = Array.from({ length: request.edges.length - 1 }, () => 0);
  let after: string | null = null;
  do {
    const slice = await store.countMessages({
      accountId: account,
      ...everything,
      ...request,
      after,
    });
    // Nothing but these: what is before the first edge has no place.
    expect(Object.keys(slice.counts)).toHaveLength(sums.length);
    for (const [place, count] of slice.counts.entries()) sums[place]! += count;
    after = slice.reached;
  } while (after !== null);
  return sums;
}

/** Counts to the end, and answers with the number and with what was due first. */
async function countOverdue(
  store: Store,
  { until, mostOfOne = 1_000 }: { readonly until: Instant; readonly mostOfOne?: number },
): Promise<readonly [count: number, oldestDueAt: Instant | null]> {
  let count = 0;
  let oldest: Instant | null = null;
  let after: string | null = null;
  do {
    const slice = await store.countOverdue({ until, after, mostOfOne });
    count += slice.count;
    if (slice.oldestDueAt !== null) oldest = Math.min(slice.oldestDueAt, oldest ?? Infinity);
    after = slice.reached;
  } while (after !== null);
  return [count, oldest];
}

async function groupAll(
  store: Store,
  request: Partial<GroupRequest> = {},
): Promise<{ readonly groups: readonly DeadLetterGroup[]; readonly exact: boolean }> {
  const groups = new DeadLetterGroups();
  let exact = true;
  let after: string | null = null;
  do {
    const slice = await store.groupDeadLetters({
      accountId: account,
      mostOfOne: 100,
      ...everything,
      ...request,
      after,
    });
    for (const group of slice.groups) groups.merge(group);
    exact &&= slice.exact;
    after = slice.reached;
  } while (after !== null);
  return { groups: groups.all(), exact };
}

/** Fails every due message with this status, for good. */
async function failAll(store: Store, targetKey: number, statusCode: number | null): Promise<void> {
  const holder = await store.join("node", "all");
  const { claims } = await store.claimDue(holder, [{ targetKey, limit: 50 }]);
  const results = claims.map((claim) => {
    const result = resultOf(claim, exhausted);
    return { ...result, attempt: { ...result.attempt, statusCode } };
  });
  await store.recordAttempts(holder, results);
}

function activityOf(...durations: readonly number[]): ActivityCounts {
  const counts = noActivity();
  for (const durationMs of durations) {
    countAttempt(counts, { outcome: "DELIVERED", durationMs, latenessMs: 1 });
  }
  return counts;
}

function addition(change: Partial<ActivityAddition>): ActivityAddition {
  const counts = activityOf(1);
  return { accountId: account, targetKey: null, span: "minute", time: noon, counts, ...change };
}

function readAll(store: Store, change: Partial<Parameters<Store["readActivity"]>[0]> = {}) {
  const all = { from: noon - 100 * hour, until: noon + 10_000 * hour };
  const asked = { accountId: account, targetId: null, span: "minute", ...all, ...change } as const;
  return store.readActivity(asked);
}

export function statsSuite(makeLocation: MakeLocation): void {
  const open = storesOf(makeLocation);

  test("scheduled messages are counted between edges, the first of them included", async () => {
    const { store } = await open();
    await makeTarget(store, "a");
    await makeTarget(store, "b");
    const edges: readonly Instant[] = [farFuture, farFuture + 10, farFuture + 20];
    for (const [targetId, at] of [
      ["a", -1],
      ["a", 0],
      ["b", 9],
      ["b", 10],
      ["b", 10],
      ["b", 19],
      ["a", 20],
    ] as const) {
      await schedule(store, targetId, farFuture + at);
    }
    const cancelled = await schedule(store, "a", farFuture);
    await store.cancelMessage({ ...refTo(cancelled), waitMs: 0 });
    const list = "scheduled";
    expect(await countAll(store, { list, edges })).toEqual([2, 3]);
    expect(await countAll(store, { list, edges, targetId: "a" })).toEqual([1, 0]);
    expect(await countAll(store, { list, edges, targetId: "none" })).toEqual([0, 0]);
    expect(await countAll(store, { list, edges, accountId: otherAccount })).toEqual([0, 0]);
    expect(await countAll(store, { list, edges, accountId: "acc_x" })).toEqual([0, 0]);
  });

  test("any number of targets and of messages at one instant is counted", async () => {
    const { store } = await open();
    for (let number = 0; number < 12; number++) await makeTarget(store, `t${number}`);
    for (let number = 0; number < 12; number += 3) {
      for (let count = 0; count <= number; count++) await schedule(store, `t${number}`, farFuture);
    }
    const edges = [farFuture, farFuture + 1];
    expect(await countAll(store, { list: "scheduled", edges })).toEqual([1 + 4 + 7 + 10]);
  });

  test("overdue messages of all accounts are counted, with the instant of the oldest, in an attempt or not", async () => {
    const { store } = await open();
    const one = await makeTarget(store, "one");
    await makeTarget(store, "two", { accountId: otherAccount });
    const of = { accountId: otherAccount };
    expect(await countOverdue(store, { until: farFuture })).toEqual([0, null]);
    await schedule(store, "two", farFuture + 5, of);
    await schedule(store, "one", farFuture + 3);
    for (let count = 0; count < 10; count++) await schedule(store, "two", farFuture + 9, of);
    expect(await countOverdue(store, { until: farFuture + 2 })).toEqual([0, null]);
    expect(await countOverdue(store, { until: farFuture + 3 })).toEqual([1, farFuture + 3]);
    expect(await countOverdue(store, { until: farFuture + 5 })).toEqual([2, farFuture + 3]);
    expect(await countOverdue(store, { until: farFuture + 9 })).toEqual([12, farFuture + 3]);
    await schedule(store, "one", past);
    const holder = await store.join("node", "all");
    const due = await countOverdue(store, { until: store.clock.now() });
    const { claims } = await store.claimDue(holder, [{ targetKey: one.targetKey, limit: 9 }]);
    expect(claims).toHaveLength(1);
    expect(due).toEqual([1, claims[0]!.dueAt]);
    expect(await countOverdue(store, { until: store.clock.now() })).toEqual(due);
    await store.recordAttempts(holder, [resultOf(claims[0]!, { kind: "delivered" })]);
    expect(await countOverdue(store, { until: store.clock.now() })).toEqual([0, null]);
  });

  test("messages that may not be delivered now are not overdue", async () => {
    const { store } = await open();
    await makeTarget(store, "one");
    await makeTarget(store, "two", { accountId: otherAccount });
    await schedule(store, "one", past);
    await schedule(store, "two", past, { accountId: otherAccount });
    const count = async (): Promise<number> =>
      (await countOverdue(store, { until: store.clock.now() }))[0];
    expect(await count()).toBe(2);
    const one = { accountId: account, targetId: "one" };
    await store.updateTarget(one, { paused: true }, null, note());
    expect(await count()).toBe(1);
    await store.updateTarget(one, { paused: false }, null, note());
    await store.updateAccount(otherAccount, { state: "SUSPENDED" }, note());
    expect(await count()).toBe(1);
    await store.updateAccount(otherAccount, { state: "ACTIVE" }, note());
    expect(await count()).toBe(2);
  });

  test("overdue messages of any number of targets are counted, and of each at least so many as are wanted", async () => {
    const { store } = await open();
    for (let number = 0; number < 12; number++) await makeTarget(store, `t${number}`);
    for (let number = 0; number < 12; number += 3) {
      for (let count = 0; count <= number; count++) await schedule(store, `t${number}`, farFuture);
    }
    const all = 1 + 4 + 7 + 10;
    expect(await countOverdue(store, { until: farFuture })).toEqual([all, farFuture]);
    const [few, oldest] = await countOverdue(store, { until: farFuture, mostOfOne: 1 });
    expect(few).toBeGreaterThanOrEqual(4);
    expect(few).toBeLessThanOrEqual(all);
    expect(oldest).toBe(farFuture);
  });

  test("dead letters are counted by the time at which they ended", async () => {
    const { store } = await open();
    const { targetKey } = await makeTarget(store, "t");
    await schedule(store, "t", past);
    await schedule(store, "t", past);
    const before = store.clock.now() - minute;
    await failAll(store, targetKey, 500);
    const edges = [before, store.clock.now() + minute, farFuture];
    expect(await countAll(store, { list: "dead-letters", edges })).toEqual([2, 0]);
    expect(await countAll(store, { list: "scheduled", edges })).toEqual([0, 0]);
  });

  test("dead letters are grouped by target, reason and status, with the newest as a sample", async () => {
    const { store } = await open();
    const [one, two] = [await makeTarget(store, "one"), await makeTarget(store, "two")];
    for (const [target, statusCode] of [
      [one, 500],
      [one, null],
      [one, 500],
      [two, 500],
    ] as const) {
      await schedule(store, target.targetId, past);
      await failAll(store, target.targetKey, statusCode);
    }
    const dead = async (targetId: string) => {
      const all = { accountId: account, targetId, minTime: null, maxTime: null };
      return store.listDeadLetters({ ...all, after: null, limit: 10 });
    };
    const [first, unanswered, last] = await dead("one");
    const [other] = await dead("two");
    const { groups, exact } = await groupAll(store);
    expect(exact).toBe(true);
    const reason = "ATTEMPTS_EXHAUSTED";
    const of = (message: typeof first, statusCode: number | null) => ({
      targetId: message!.targetId,
      reason,
      statusCode,
      count: 1,
      firstTime: message!.deadLetterTime,
      lastTime: message!.deadLetterTime,
      sample: message,
    });
    expect(groups).toHaveLength(3);
    expect(groups).toEqual(
      expect.arrayContaining([
        { ...of(last, 500), count: 2, firstTime: first!.deadLetterTime },
        of(unanswered, null),
        of(other, 500),
      ]),
    );
    expect((await groupAll(store, { targetId: "two" })).groups).toEqual([of(other, 500)]);
    expect((await groupAll(store, { accountId: otherAccount })).groups).toEqual([]);
  });

  test("of each target so many dead letters are grouped as are wanted, the newest", async () => {
    const { store } = await open();
    const [one, two] = [await makeTarget(store, "one"), await makeTarget(store, "two")];
    for (const status of [400, 401, 402]) {
      await schedule(store, "one", past);
      await failAll(store, one.targetKey, status);
    }
    await schedule(store, "two", past);
    await failAll(store, two.targetKey, 403);
    const statuses = async (mostOfOne: number) => {
      const { groups, exact } = await groupAll(store, { mostOfOne });
      return { exact, statuses: groups.map(({ statusCode }) => String(statusCode)).toSorted() };
    };
    expect(await statuses(3)).toEqual({ exact: true, statuses: ["400", "401", "402", "403"] });
    const fewer = await statuses(2);
    expect(fewer.exact).toBe(false);
    expect(fewer.statuses).toContain("403");
    expect(fewer.statuses).toHaveLength(3);
  });

  test("expired dead letters are in no group", async () => {
    const { store } = await open({ retentionMs: 0 });
    const { targetKey } = await makeTarget(store, "t");
    await schedule(store, "t", past);
    await failAll(store, targetKey, 500);
    expect((await groupAll(store)).groups).toEqual([]);
  });

  test("activity is added up, by target or account, span and time", async () => {
    const { store } = await open();
    const { targetKey } = await makeTarget(store, "t");
    await store.addActivity([
      addition({}),
      addition({ time: noon + minute, counts: activityOf(5) }),
      addition({ span: "hour", counts: activityOf(1, 5) }),
      addition({ targetKey, counts: activityOf(1) }),
      addition({ accountId: otherAccount, counts: activityOf(9) }),
    ]);
    await store.addActivity([addition({ counts: activityOf(2, 3) })]);
    expect(await readAll(store)).toEqual([
      { time: noon, counts: activityOf(1, 2, 3) },
      { time: noon + minute, counts: activityOf(5) },
    ]);
    expect(await readAll(store, { until: noon + minute })).toHaveLength(1);
    expect(await readAll(store, { from: noon + 1 })).toHaveLength(1);
    expect(await readAll(store, { span: "hour" })).toEqual([
      { time: noon, counts: activityOf(1, 5) },
    ]);
    expect(await readAll(store, { targetId: "t" })).toEqual([
      { time: noon, counts: activityOf(1) },
    ]);
    expect(await readAll(store, { targetId: "none" })).toEqual([]);
    expect(await readAll(store, { accountId: otherAccount, targetId: "t" })).toEqual([]);
  });

  test("counts of another version, with fewer outcomes, are added as well", async () => {
    const { store } = await open();
    const older = activityOf(1).slice(0, -1);
    await store.addActivity([addition({ counts: older })]);
    await store.addActivity([addition({ counts: activityOf(1) })]);
    await store.addActivity([addition({ counts: older })]);
    expect(await readAll(store)).toEqual([{ time: noon, counts: activityOf(1, 1, 1) }]);
  });

  test("minutes and hours of activity go when their time is over", async () => {
    const { store } = await open();
    const now = store.clock.now();
    const begin = (agoMs: number) => Math.floor((now - agoMs) / hour) * hour;
    const kept = begin(keptMs.minute - 2 * hour);
    await store.addActivity([
      addition({ time: begin(keptMs.minute + 2 * hour) }),
      addition({ time: kept }),
      addition({ span: "hour", time: begin(keptMs.hour + 2 * hour) }),
      addition({ span: "hour", time: begin(keptMs.minute + 2 * hour) }),
    ]);
    const { removed } = await store.removeExpired(100);
    expect(removed).toBe(2);
    const all = { from: 0, until: now + hour };
    expect((await readAll(store, all)).map(({ time }) => time)).toEqual([kept]);
    expect(await readAll(store, { ...all, span: "hour" })).toHaveLength(1);
  });

  test("a removed account leaves no activity", async () => {
    const { store } = await open();
    const { targetKey } = await makeTarget(store, "t");
    await store.addActivity([addition({}), addition({ targetKey })]);
    await store.updateAccount(account, { state: "SUSPENDED" }, note());
    await store.removeAccount(account, note());
    while ((await store.removeExpired(1)).removed > 0);
    expect(await readAll(store)).toEqual([]);
  });

  test("a look at targets counts what is due, dead and attempted, up to its limits", async () => {
    const { store } = await open();
    const [dead, due, idle] = await Promise.all(
      ["dead", "due", "idle"].map((targetId) => makeTarget(store, targetId)),
    );
    for (let count = 0; count < 3; count++) {
      await schedule(store, "dead", past);
      await schedule(store, "due", past);
    }
    await failAll(store, dead!.targetKey, 500);
    await schedule(store, "due", farFuture);
    const { targetKey } = due!;
    await store.addActivity([
      addition({ targetKey, counts: activityOf(1, 2) }),
      addition({ targetKey, time: noon + minute }),
      addition({ targetKey, time: noon - minute }),
      addition({ targetKey, span: "hour" }),
      addition({ counts: activityOf(9) }),
    ]);
    const keys = [dead!, due!, idle!, due!, idle!].map((target) => target.targetKey);
    const look = async (mostDue: number, mostDead: number): Promise<readonly TargetLook[]> => {
      const looks: TargetLook[] = [];
      while (looks.length < keys.length) {
        const targets = keys.slice(looks.length).map((key) => ({ targetKey: key, mostDue }));
        const times = { dueUntil: store.clock.now(), activeFrom: noon };
        const some = await store.lookAtTargets({ accountId: account, targets, mostDead, ...times });
        expect(some.length).toBeGreaterThan(0);
        looks.push(...some);
      }
      return looks;
    };
    const none = { due: 0, dead: 0, activity: noActivity() };
    const ofDue = { due: 3, dead: 0, activity: activityOf(1, 2, 1) };
    expect(await look(10, 10)).toEqual([{ ...none, dead: 3 }, ofDue, none, ofDue, none]);
    expect((await look(2, 1)).map((each) => [each.due, each.dead])).toEqual([
      [0, 1],
      [2, 0],
      [0, 0],
      [2, 0],
      [0, 0],
    ]);
  });

  test("what is in flight counts for its target until its attempt is on record", async () => {
    const { store } = await open();
    const one = await makeTarget(store, "one");
    const two = await makeTarget(store, "two");
    for (let count = 0; count < 3; count++) await schedule(store, "one", past);
    const count = () => store.countInFlight([two.targetKey, one.targetKey]);
    expect(await count()).toEqual([0, 0]);
    const holder = await store.join("node", "all");
    const request = [{ targetKey: one.targetKey, limit: 2 }];
    const { claims } = await store.claimDue(holder, request);
    expect(claims).toHaveLength(2);
    expect(await count()).toEqual([0, 2]);
    await store.recordAttempts(holder, [resultOf(claims[0]!, { kind: "delivered" })]);
    expect(await count()).toEqual([0, 1]);
    await store.releaseClaims(holder, [claims[1]!.messageId]);
    expect(await count()).toEqual([0, 0]);
    expect(await store.countInFlight([])).toEqual([]);
  });
}
