import { expect, test } from "vitest";
import { account, farFuture, newTarget, note } from "../../../src/storage/conformance/harness.ts";
import type { Store } from "../../../src/storage/store.ts";
import { SimulatedProcess } from "../world/simulated-process.ts";
import { SetFaults, simulatedDatabase, watch } from "./support/simulated-database.ts";
import { withFaults } from "./with-faults.ts";

async function faultyStore() {
  const simulated = simulatedDatabase();
  const { time, place, settle } = simulated;
  const direct = simulated.open("direct");
  await settle(direct.ensureAccount(account, "One"));
  await settle(direct.createTarget(newTarget("t"), note()));
  const faults = new SetFaults();
  const process = new SimulatedProcess(time, 0);
  const store = withFaults(direct, faults, { timers: time, nodeTimers: process });
  const kept = (): number => place.snapshot().messages.length;
  return { ...simulated, direct, store, faults, process, kept };
}

const request = {
  accountId: account,
  targetId: "t",
  deliveryTime: farFuture,
  payload: "hello",
  options: null,
  idempotency: null,
};
const schedule = (store: Store) => store.scheduleMessages([request]);

test("a call takes effect at its moment and is answered later", async () => {
  const { store, faults, pass, kept } = await faultyStore();
  faults.set("scheduleMessages", { beforeMs: 30, afterMs: 20 });
  const call = schedule(store);
  const state = watch(call);
  await pass(29);
  expect([kept(), state()]).toEqual([0, "pending"]);
  await pass(1);
  expect([kept(), state()]).toEqual([1, "pending"]);
  await pass(19);
  expect(state()).toBe("pending");
  await pass(1);
  expect(state()).toBe("answered");
  expect(await call).toMatchObject([{ kind: "scheduled" }]);
});

test("a call that fails before has no effect, and one that fails after has", async () => {
  const { store, faults, pass, kept } = await faultyStore();
  for (const [kind, count] of [["fails-before", 0] as const, ["fails-after", 1] as const]) {
    faults.set("scheduleMessages", { kind, beforeMs: 5, afterMs: 5 });
    const state = watch(schedule(store));
    await pass(9);
    expect([kept(), state()]).toEqual([count, "pending"]);
    await pass(1);
    expect([kept(), state()]).toEqual([count, "unavailable"]);
    await pass(1_000);
    expect(kept()).toBe(count);
  }
});

test("a call that was given up may take effect late", async () => {
  const { store, faults, pass, kept } = await faultyStore();
  faults.set("scheduleMessages", { kind: "happens-late", beforeMs: 30, afterMs: 20 });
  const state = watch(schedule(store));
  await pass(20);
  expect([kept(), state()]).toEqual([0, "unavailable"]);
  await pass(29);
  expect(kept()).toBe(0);
  await pass(1);
  expect(kept()).toBe(1);
});

test("a dead node's call never settles, and took effect only if its moment came before the death", async () => {
  for (const [diesAfterMs, count] of [
    [10, 0],
    [30, 1],
  ] as const) {
    const { store, faults, pass, kept } = await faultyStore();
    faults.set("scheduleMessages", { beforeMs: 20, afterMs: 20 });
    const state = watch(schedule(store));
    await pass(diesAfterMs);
    faults.dead = true;
    const later = watch(schedule(store));
    await pass(60_000);
    expect([kept(), state(), later()]).toEqual([count, "pending", "pending"]);
  }
});

test("the call of a node that dies while making it has no effect", async () => {
  const { store, faults, pass, kept } = await faultyStore();
  faults.next = () => {
    faults.dead = true;
    return { kind: "fine", beforeMs: 0, afterMs: 0 };
  };
  const state = watch(schedule(store));
  await pass(60_000);
  expect([kept(), state()]).toEqual([0, "pending"]);
});

test("reads are delayed and fail too, and errors of the store are passed on", async () => {
  const { store, faults, pass, settle } = await faultyStore();
  faults.set("counts", { kind: "fails-before", afterMs: 7 });
  const failing = watch(store.counts());
  faults.set("getUsage", { beforeMs: 7 });
  const slow = watch(store.getUsage(account));
  await pass(6);
  expect([failing(), slow()]).toEqual(["pending", "pending"]);
  await pass(1);
  expect([failing(), slow()]).toEqual(["unavailable", "answered"]);
  const twice = note();
  await settle(store.createTarget(newTarget("u"), twice));
  await expect(settle(store.createTarget(newTarget("v"), twice))).rejects.toThrow("already");
});

test("a node that stands still gets the answer when it continues, and the store does not wait", async () => {
  const { store, faults, process, pass, kept } = await faultyStore();
  faults.set("scheduleMessages", { beforeMs: 10, afterMs: 10 });
  const state = watch(schedule(store));
  process.stopFor(1_000);
  await pass(500);
  expect([kept(), state()]).toEqual([1, "pending"]);
  await pass(500);
  expect(state()).toBe("answered");
});

test("values that are no calls pass unchanged", async () => {
  const { store, direct, faults } = await faultyStore();
  expect([store.clock, store.sharing]).toEqual([direct.clock, direct.sharing]);
  await store.close();
  expect(faults.calls).toEqual([]);
  await expect(direct.ping()).rejects.toThrow("closed");
});
