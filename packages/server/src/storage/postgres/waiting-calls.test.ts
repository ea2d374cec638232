import { expect, test } from "vitest";
import { account, farFuture, makeTarget, schedule } from "../conformance/harness.ts";
import { testStores } from "./testing/test-stores.ts";

const makeStores = testStores();

test("calls are seen to wait for a batch and for a connection, and none waits once they are answered", async () => {
  const { open } = await makeStores();
  const store = await open();
  await store.ensureAccount(account, "One");
  await makeTarget(store, "t");
  expect(store.waitingCalls()).toBe(0);
  const scheduled = Array.from({ length: 50 }, () => schedule(store, "t", farFuture));
  expect(store.waitingCalls()).toBe(50);
  await Promise.all(scheduled);
  expect(store.waitingCalls()).toBe(0);
  // An account has three of the connections for callers.
  const read = Array.from({ length: 20 }, () => store.getUsage(account));
  expect(store.waitingCalls()).toBe(17);
  await Promise.all(read);
  expect(store.waitingCalls()).toBe(0);
});
