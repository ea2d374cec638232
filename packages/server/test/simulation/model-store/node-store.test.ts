import { expect, test } from "vitest";
import {
  account,
  farFuture,
  makeTarget,
  past,
  refTo,
  resultOf,
  schedule,
} from "../../../src/storage/conformance/harness.ts";
import type { Store } from "../../../src/storage/store.ts";
import { leaseMs, SetFaults, simulatedDatabase, watch } from "./support/simulated-database.ts";

/** Two nodes and a target. The test sets the faults of the first node. */
async function twoNodes(firstOptions = {}) {
  const simulated = simulatedDatabase();
  const faults = new SetFaults();
  const other = simulated.open("two");
  const { settle } = simulated;
  await settle(other.ensureAccount(account, "One"));
  const { targetKey } = await settle(makeTarget(other, "t"));
  const one = simulated.open("one", { faults, ...firstOptions });
  const holder = await settle(one.join("one", "all"));
  const claimedBy = async (store: Store, by = holder): Promise<string[]> => {
    const { claims } = await settle(store.claimDue(by, [{ targetKey, limit: 9 }]));
    return claims.map(({ messageId }) => messageId);
  };
  const scheduleOne = (dueAt = past) => settle(schedule(other, "t", dueAt));
  return { ...simulated, faults, one, other, holder, targetKey, claimedBy, scheduleOne };
}

test("the holder's next renewal voids a claim whose answer was lost, and no other claim", async () => {
  const { place, faults, one, holder, settle, claimedBy, scheduleOne } = await twoNodes();
  const known = await scheduleOne();
  expect(await claimedBy(one)).toEqual([known.messageId]);
  const lost = await scheduleOne();
  faults.set("claimDue", { kind: "fails-after" });
  await expect(claimedBy(one)).rejects.toThrow("no answer");
  expect(place.snapshot().claims).toHaveLength(2);
  expect(await claimedBy(one)).toEqual([]);
  expect(await settle(one.renew(holder))).toBe(true);
  expect(await claimedBy(one)).toEqual([lost.messageId]);
  expect(place.snapshot().claims).toHaveLength(2);
});

test("the next renewal voids a claim that was made after its caller gave up", async () => {
  const { place, faults, one, holder, pass, settle, claimedBy, scheduleOne } = await twoNodes();
  const message = await scheduleOne();
  faults.set("claimDue", { kind: "happens-late", beforeMs: 50 });
  await expect(claimedBy(one)).rejects.toThrow("no answer");
  await settle(one.renew(holder));
  await pass(100);
  expect(place.snapshot().claims).toHaveLength(1);
  await settle(one.renew(holder));
  expect(await claimedBy(one)).toEqual([message.messageId]);
});

test("a renewal does not void a claim that is under way", async () => {
  const { place, faults, one, holder, pass, claimedBy, scheduleOne } = await twoNodes();
  await scheduleOne();
  faults.set("claimDue", { afterMs: 100 });
  const claiming = claimedBy(one);
  await pass(50);
  const renewing = one.renew(holder);
  expect(await claiming).toHaveLength(1);
  await renewing;
  await pass(100);
  expect(place.snapshot().claims).toHaveLength(1);
});

test("a cancel whose caller died takes effect with the outcome", async () => {
  const { faults, one, other, settle, pass, targetKey, scheduleOne } = await twoNodes();
  const message = await scheduleOne();
  const holder = await settle(other.join("two", "all"));
  const { claims } = await settle(other.claimDue(holder, [{ targetKey, limit: 1 }]));
  const state = watch(one.cancelMessage({ ...refTo(message), waitMs: 5_000 }));
  await pass(100);
  faults.dead = true;
  await pass(60_000);
  await settle(
    other.recordAttempts(holder, [
      resultOf(claims[0]!, { kind: "dead-letter", reason: "ATTEMPTS_EXHAUSTED" }),
    ]),
  );
  expect(await settle(other.getMessage(refTo(message)))).toMatchObject({ state: "CANCELLED" });
  expect(state()).toBe("pending");
});

test("a caller that loses the connection gets an error, and the change may still happen", async () => {
  const { faults, one, other, settle, targetKey, scheduleOne } = await twoNodes();
  const message = await scheduleOne();
  const holder = await settle(other.join("two", "all"));
  const { claims } = await settle(other.claimDue(holder, [{ targetKey, limit: 1 }]));
  faults.set("awaitAnswer", { kind: "fails-before" });
  const cancelling = one.cancelMessage({ ...refTo(message), waitMs: 5_000 });
  await expect(settle(cancelling)).rejects.toThrow("no answer");
  await settle(
    other.recordAttempts(holder, [
      resultOf(claims[0]!, { kind: "dead-letter", reason: "ATTEMPTS_EXHAUSTED" }),
    ]),
  );
  expect(await settle(other.getMessage(refTo(message)))).toMatchObject({ state: "CANCELLED" });
});

test("an outcome and the end of a wait at the same time agree on which was first", async () => {
  for (const outcomeAtMs of [4_999, 5_000, 5_001]) {
    const { faults, place, time, one, other, settle, pass, ...rest } = await twoNodes();
    const message = await rest.scheduleOne();
    const holder = await settle(other.join("two", "all"));
    const { claims } = await settle(
      other.claimDue(holder, [{ targetKey: rest.targetKey, limit: 1 }]),
    );
    faults.set("takeBack", { beforeMs: 20 });
    const cancelling = one.cancelMessage({ ...refTo(message), waitMs: 5_000 });
    await pass(outcomeAtMs);
    await settle(
      other.recordAttempts(holder, [
        resultOf(claims[0]!, { kind: "dead-letter", reason: "ATTEMPTS_EXHAUSTED" }),
      ]),
    );
    // The caller was already withdrawing the change when the outcome came, so the withdrawal was too late.
    expect(await settle(cancelling)).toMatchObject({ kind: "changed" });
    expect(place.waiting).toBe(0);
    expect(time.monotonic()).toBeLessThan(6_000);
  }
});

test("a change whose wait has ended never takes effect", async () => {
  const { one, other, settle, targetKey, scheduleOne, place } = await twoNodes();
  const message = await scheduleOne();
  const holder = await settle(other.join("two", "all"));
  const { claims } = await settle(other.claimDue(holder, [{ targetKey, limit: 1 }]));
  const moving = { ...refTo(message), deliveryTime: farFuture, waitMs: 300 };
  expect(await settle(one.rescheduleMessage(moving))).toEqual({ kind: "in-flight" });
  expect(place.waiting).toBe(0);
  await settle(other.recordAttempts(holder, [resultOf(claims[0]!, { kind: "delivered" })]));
  expect(place.snapshot().messages[0]!.message.state).toBe("DELIVERED");
});

test("a node knows the store's clock within its error, which each renewal draws again", async () => {
  const { time, one, holder, settle } = await twoNodes({ clockErrorMs: 40 });
  const errors = new Set<number>();
  for (let renewal = 0; renewal < 20; renewal++) {
    const errorMs = one.clock.now() - time.now();
    expect(Math.abs(errorMs)).toBeLessThanOrEqual(41);
    errors.add(errorMs);
    await settle(one.renew(holder));
  }
  expect(errors.size).toBeGreaterThan(5);
});

test("a join that takes effect after its caller gave up does not end a newer membership", async () => {
  const { place, faults, one, holder, pass, settle, scheduleOne, claimedBy } = await twoNodes();
  const message = await scheduleOne();
  expect(await claimedBy(one)).toEqual([message.messageId]);
  faults.set("join", { kind: "happens-late", beforeMs: 500 });
  await expect(settle(one.join("one", "all"))).rejects.toThrow("no answer");
  const next = await settle(one.join("one", "all"));
  expect(await claimedBy(one, holder)).toEqual([]);
  expect(await claimedBy(one, next)).toEqual([message.messageId]);
  await pass(1_000);
  expect(place.snapshot().claims).toMatchObject([{ epoch: next.epoch, nodeId: "one" }]);
  expect(await settle(one.renew(next))).toBe(true);
});

test("a membership that another node sees silent for its whole lease is over, and records nothing", async () => {
  const { one, other, holder, pass, settle, targetKey, scheduleOne, claimedBy } = await twoNodes();
  await scheduleOne();
  const { claims } = await settle(one.claimDue(holder, [{ targetKey, limit: 1 }]));
  expect(await settle(other.endLapsedMemberships())).toMatchObject({ count: 0, targetKeys: [] });
  await pass(leaseMs);
  expect(await settle(other.endLapsedMemberships())).toMatchObject({
    count: 1,
    targetKeys: [targetKey],
  });
  await scheduleOne();
  expect(await claimedBy(one)).toEqual([]);
  expect(await settle(one.renew(holder))).toBe(false);
  const late = [resultOf(claims[0]!, { kind: "delivered" })];
  expect(await settle(one.recordAttempts(holder, late))).toEqual([{ kind: "stale" }]);
});
