import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { account, farFuture, newTarget, note, otherAccount } from "../../conformance/harness.ts";
import type { ScheduleRequest, ScheduleResult } from "../../store.ts";
import { StoreUnavailable } from "../../store.ts";
import { testStores } from "../testing/test-stores.ts";

const makeStores = testStores();

test.each([
  { what: "by themselves", options: null, idempotency: null },
  { what: "with a key", idempotency: { key: "k", fingerprint: "f" } },
])("a call gathered with one whose target is locked succeeds, $what", async ({ idempotency }) => {
  const batches: number[] = [];
  const { database, open } = await makeStores();
  const store = await open({ deadlineMs: 2_000, onBatch: (size) => batches.push(size) });
  for (const accountId of [account, otherAccount]) {
    await store.ensureAccount(accountId, "");
    await store.createTarget(newTarget("t", { accountId }), note());
  }
  const request = (accountId: string): ScheduleRequest => ({
    options: null,
    accountId,
    targetId: "t",
    deliveryTime: farFuture,
    payload: "hello",
    idempotency,
  });
  // An account's first message of a month takes another way, and would not be gathered.
  for (const accountId of [account, otherAccount]) {
    await store.scheduleMessages([{ ...request(accountId), options: null, idempotency: null }]);
  }
  const aside = new pg.Client(database.url);
  await aside.connect();
  onTestFinished(() => aside.end());
  await aside.query("BEGIN");
  await aside.query("SELECT 1 FROM targets WHERE account_id = $1 FOR UPDATE", [account]);

  batches.length = 0;
  const [locked, other] = await Promise.allSettled([
    store.scheduleMessages([request(account)]),
    store.scheduleMessages([request(otherAccount)]),
  ]);
  expect(batches).toEqual([2]);
  expect(locked).toMatchObject({ status: "rejected", reason: expect.any(StoreUnavailable) });
  expect(other).toMatchObject({ status: "fulfilled", value: [{ kind: "scheduled" }] });
  await aside.query("COMMIT");
  expect(await store.scheduleMessages([request(account)])).toMatchObject([{ kind: "scheduled" }]);
  expect((await store.getUsage(account))?.used).toBe(2);
  expect((await store.getUsage(otherAccount))?.used).toBe(2);
});

test("no account waits for another one's requests with the same key", async () => {
  const { open } = await makeStores();
  const begun: PromiseWithResolvers<void>[] = [];
  const store = await open({ onBatch: () => begun.shift()?.resolve() });
  const plain = {
    ...{ accountId: otherAccount, targetId: "t", deliveryTime: farFuture, payload: "" },
    ...{ options: null, idempotency: null },
  };
  // As many as there are batches under way at once.
  const crowd = ["crowd-1", "crowd-2"];
  for (const accountId of [...crowd, otherAccount]) {
    await store.ensureAccount(accountId, "");
    await store.createTarget(newTarget("t", { accountId }), note());
    // An account's first message of a month takes another way.
    await store.scheduleMessages([{ ...plain, accountId }]);
  }
  const replacing = (accountId: string): ScheduleRequest[] =>
    Array.from({ length: 100 }, () => ({
      ...{ ...plain, accountId, options: { key: "k" } },
      wantedKey: { key: "k", onConflict: "replace", maxWaitMs: null },
    }));
  const ended: string[] = [];
  const calls: Promise<ScheduleResult[]>[] = [];
  for (const accountId of crowd) {
    const begins = Promise.withResolvers<void>();
    begun.push(begins);
    const call = store.scheduleMessages(replacing(accountId));
    calls.push(call);
    void call.then(() => ended.push(accountId));
    await begins.promise;
  }
  const [other] = await store.scheduleMessages([plain]);
  ended.push(otherAccount);
  expect(other).toMatchObject({ kind: "scheduled" });
  const results = (await Promise.all(calls)).flat();
  expect(ended[0]).toBe(otherAccount);
  expect(new Set(results.map(({ kind }) => kind))).toEqual(new Set(["scheduled"]));
  for (const accountId of crowd) expect((await store.getUsage(accountId))?.used).toBe(101);
});
