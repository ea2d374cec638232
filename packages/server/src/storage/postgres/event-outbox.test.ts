import { describe, expect, test } from "vitest";
import {
  account,
  farFuture,
  makeTarget,
  newTarget,
  note,
  otherAccount,
  past,
  refTo,
  resultOf,
  schedule,
} from "../conformance/harness.ts";
import {
  changeEndpoint,
  createEndpoint,
  everything,
  logOf,
  moveAll,
  newEndpoint,
  removeEndpoint,
  toldAbout,
  typesAbout,
} from "../conformance/events/event-harness.ts";
import type { MessageOptions } from "../../domain/message-options.ts";
import type { Store } from "../store.ts";
import { holdCommits } from "./testing/held-commits.ts";
import { testStores } from "./testing/test-stores.ts";

const makeStores = testStores();

/** Two nodes on one database, with the targets "t" and "held", and an endpoint that is told everything. */
async function open({ isSilent = false } = {}) {
  const { database, open: openStore } = await makeStores();
  const [one, two] = [await openStore(), await openStore()];
  await one.ensureAccount(account, "One");
  const { targetKey } = await makeTarget(one, "t");
  const { targetKey: heldKey } = await makeTarget(one, "held");
  if (!isSilent) await createEndpoint(one, newEndpoint("all"));
  return { database, openStore, one, two, targetKey, heldKey };
}

function expectDense(events: readonly { readonly position: number }[]): void {
  expect(events.map(({ position }) => position)).toEqual(events.map((_, index) => index + 1));
}

describe("a commit that is held open", () => {
  test("is moved late, behind those that have passed it, and nothing is missed", async () => {
    const { database, one, two, heldKey } = await open();
    const { messageId } = await schedule(one, "held", farFuture);
    const held = await holdCommits(database, {
      table: "event_outbox",
      row: `NEW.target_key = ${heldKey}`,
    });
    const late = one.cancelMessage({ messageId, accountId: account, waitMs: 0 });
    await held.whenBlocked(1);
    const passed = [];
    for (let index = 0; index < 5; index++) {
      passed.push(await schedule(two, "t", farFuture));
      await two.cancelMessage({ ...refTo(passed[index]!), waitMs: 0 });
    }
    const before = await logOf(two);
    expect(before).toHaveLength(11);
    await held.release();
    await late;
    const events = await logOf(one);
    expect(events.slice(0, 11)).toEqual(before);
    expect(events[11]).toMatchObject({ type: "message.cancelled", position: 12 });
    expect(events[11]!.time).toBeLessThanOrEqual(events[10]!.time);
    expect(typesAbout(events, messageId)).toEqual(["message.scheduled", "message.cancelled"]);
    expectDense(events);
  });

  test("comes before the later change of the same message, which waits for it", async () => {
    const { database, one, two, heldKey } = await open();
    const message = await schedule(one, "held", farFuture);
    const held = await holdCommits(database, {
      table: "event_outbox",
      row: `NEW.target_key = ${heldKey}`,
    });
    const cancelled = one.cancelMessage({ ...refTo(message), waitMs: 0 });
    await held.whenBlocked(1);
    const changed = two.rescheduleMessage({ ...refTo(message), deliveryTime: past, waitMs: 0 });
    await held.whenBlocked(2);
    await schedule(two, "t", farFuture);
    await moveAll(two);
    await held.release();
    await Promise.all([cancelled, changed]);
    expect(await toldAbout(two, message.messageId)).toEqual([
      "message.scheduled",
      "message.cancelled",
      "message.rescheduled",
    ]);
  });
});

test("while one node moves events the others move none, and each is moved once", async () => {
  const { database, one, two } = await open();
  for (let index = 0; index < 20; index++) await schedule(one, "t", farFuture);
  const held = await holdCommits(database, {
    table: "event_bundles",
    row: "NEW.first_position = 1",
  });
  const first = one.moveEvents(100);
  await held.whenBlocked(1);
  await schedule(one, "t", farFuture);
  const early = await two.moveEvents(100);
  const late = await two.moveEvents(100);
  expect([early.moved, late.moved]).toEqual([0, 0]);
  // What the first node has not committed still waits.
  expect(early.waitedMs).toBeGreaterThanOrEqual(0);
  expect(late.waitedMs).toBeGreaterThanOrEqual(early.waitedMs!);
  await held.release();
  expect((await first).moved).toBe(20);
  const all = await Promise.all([one, two, one, two].map((store) => store.moveEvents(100)));
  expect(all.reduce((sum, { moved }) => sum + moved, 0)).toBe(1);
  expect(await two.moveEvents(100)).toEqual({ moved: 0, waitedMs: null });
  const events = await logOf(two);
  expectDense(events);
  expect(new Set(events.map(({ data }) => data.message!.messageId)).size).toBe(21);
});

test("what one statement schedules is one row, which is moved whole, and each account gets its own", async () => {
  const { one } = await open();
  await one.ensureAccount(otherAccount, "Two");
  await makeTarget(one, "theirs", { accountId: otherAccount });
  await createEndpoint(one, newEndpoint("hers", { accountId: otherAccount }));
  const request = (accountId: string, targetId: string, options: MessageOptions | null) => ({
    ...{ accountId, targetId, deliveryTime: farFuture, payload: "x", options, idempotency: null },
  });
  const odd = { labels: { a: "quote ' and \" and 🙂" }, flexWindowMs: 60_000 };
  const results = await one.scheduleMessages([
    ...[request(account, "t", null), request(otherAccount, "theirs", odd)],
    ...[request(account, "held", odd), request(account, "t", null)],
  ]);
  await schedule(one, "t", farFuture);
  expect((await one.moveEvents(1)).moved).toBeGreaterThan(1);
  const mine = await logOf(one);
  const theirs = await logOf(one, otherAccount);
  const shown = new Map(
    [...mine, ...theirs].map(({ data }) => [data.message!.messageId, data.message!]),
  );
  expect([mine.length, theirs.length, shown.size]).toEqual([4, 1, 5]);
  for (const result of results) {
    if (result.kind !== "scheduled") throw new Error(result.kind);
    const { messageId, targetId, nextDeliveryTime, options } = result.message;
    expect(shown.get(messageId)).toMatchObject({ targetId, nextDeliveryTime, options });
  }
});

describe("an endpoint that is created", () => {
  test("is told about a target that another node creates at the same time", async () => {
    const { database, one, two } = await open({ isSilent: true });
    const held = await holdCommits(database, { table: "targets", row: "NEW.target_id = 'new'" });
    const target = one.createTarget(newTarget("new"), note());
    await held.whenBlocked(1);
    const endpoint = createEndpoint(two, newEndpoint("e"));
    await held.whenBlocked(2);
    await held.release();
    await Promise.all([target, endpoint]);
    const { messageId } = await schedule(one, "new", farFuture);
    expect(await toldAbout(one, messageId)).toEqual(["message.scheduled"]);
  });

  test("is told about a target whose creation waits for it", async () => {
    const { database, one, two } = await open({ isSilent: true });
    const held = await holdCommits(database, { table: "event_endpoints" });
    const endpoint = createEndpoint(two, newEndpoint("e"));
    await held.whenBlocked(1);
    const target = one.createTarget(newTarget("new"), note());
    await held.whenBlocked(2);
    await held.release();
    await Promise.all([target, endpoint]);
    const { messageId } = await schedule(one, "new", farFuture);
    expect(await toldAbout(one, "new")).toEqual(["target.created"]);
    expect(await toldAbout(one, messageId)).toEqual(["message.scheduled"]);
  });

  test("keeps no node from scheduling meanwhile, and is told what begins after its answer", async () => {
    const { database, one, two } = await open({ isSilent: true });
    const held = await holdCommits(database, { table: "event_endpoints" });
    const endpoint = createEndpoint(two, newEndpoint("e"));
    await held.whenBlocked(1);
    await schedule(one, "t", farFuture);
    await held.release();
    await endpoint;
    const { messageId } = await schedule(one, "t", farFuture);
    expect((await logOf(one)).map(({ data }) => data.message?.messageId)).toEqual([messageId]);
  });
});

describe("what changes nothing tells nothing", () => {
  test("a result of a claim that another node has taken over", async () => {
    const { one, two, targetKey } = await open();
    const { messageId } = await schedule(one, "t", past);
    const lost = await one.join("one", "all");
    const stale = await one.claimDue(lost, [{ targetKey, limit: 1 }]);
    await two.leave(lost);
    const holder = await two.join("two", "all");
    const { claims } = await two.claimDue(holder, [{ targetKey, limit: 1 }]);
    const retry = { kind: "retry", delayMs: 60_000 } as const;
    const late = () => one.recordAttempts(lost, [resultOf(stale.claims[0]!, retry)]);
    expect(await late()).toEqual([{ kind: "stale" }]);
    await two.recordAttempts(holder, [resultOf(claims[0]!, { kind: "delivered" })]);
    expect(await late()).toEqual([{ kind: "stale" }]);
    await two.recordAttempts(holder, [resultOf(claims[0]!, { kind: "delivered" })]);
    expect(await toldAbout(one, messageId)).toEqual(["message.scheduled", "message.delivered"]);
  });

  test("repeats and refusals", async () => {
    const { one, two } = await open();
    const idempotency = { key: "k", fingerprint: "f" };
    const message = await schedule(one, "t", farFuture, { idempotency });
    await schedule(two, "t", farFuture, { idempotency });
    const kinds = [];
    for (const store of [one, two, one]) {
      kinds.push((await store.cancelMessage({ ...refTo(message), waitMs: 0 })).kind);
    }
    expect(kinds).toEqual(["changed", "refused", "refused"]);
    await one.createTarget(newTarget("t"), note());
    expect((await logOf(one)).map(({ type }) => type)).toEqual([
      "message.scheduled",
      "message.cancelled",
    ]);
  });
});

test("each of many targets is told about as the endpoints say, after each of their changes", async () => {
  const { one, two } = await open({ isSilent: true });
  const ids = Array.from({ length: 60 }, (_, index) => `many-${index}`);
  for (const id of ids) await makeTarget(one, id);
  const told = async (store: Store): Promise<string[]> => {
    const from = (await logOf(store)).length;
    await Promise.all(ids.map((id) => schedule(store, id, farFuture)));
    return (await logOf(store)).slice(from).map(({ targetId }) => targetId!);
  };
  const named = ids.slice(10, 13);
  await createEndpoint(one, newEndpoint("some", { filter: { targetIds: [...named, "nobody"] } }));
  expect((await told(two)).toSorted()).toEqual(named.toSorted());
  await createEndpoint(two, newEndpoint("others", { filter: { types: ["message.cancelled"] } }));
  expect((await told(one)).toSorted()).toEqual(named.toSorted());
  await changeEndpoint(two, "others", { filter: everything });
  expect((await told(one)).toSorted()).toEqual(ids.toSorted());
  await changeEndpoint(one, "some", { filter: { ...everything, targetIds: [ids[0]!] } });
  await removeEndpoint(two, "others");
  expect(await told(two)).toEqual([ids[0]]);
  await removeEndpoint(one, "some");
  expect(await told(two)).toEqual([]);
});
