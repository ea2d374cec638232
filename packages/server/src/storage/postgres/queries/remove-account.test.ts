import { expect, onTestFinished, test } from "vitest";
import pg from "pg";
import { account, farFuture, makeTarget, newTarget, note } from "../../conformance/harness.ts";
import type { Store } from "../../store.ts";
import { testStores } from "../testing/test-stores.ts";

const makeStores = testStores();
const blocked = `SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

async function setUp(targetIds: readonly string[]) {
  const { database, open } = await makeStores();
  const store = await open();
  await store.ensureAccount(account, "One");
  for (const id of targetIds) await makeTarget(store, id);
  const aside = new pg.Client(database.url);
  await aside.connect();
  onTestFinished(() => aside.end());
  return { database, open, store, aside };
}

const scheduleTo = (store: Store, targetIds: readonly string[]) =>
  store.scheduleMessages(
    targetIds.map((targetId) => ({
      ...{ accountId: account, targetId, deliveryTime: farFuture, payload: "x" },
      options: null,
      idempotency: null,
    })),
  );

test("a batch in any order and a removal do not wait for each other in a circle", async () => {
  const { database, store, aside } = await setUp(["a", "b", "c"]);
  await scheduleTo(store, ["a"]);
  await store.updateAccount(account, { state: "SUSPENDED" }, note());
  await aside.query("BEGIN; SELECT 1 FROM targets WHERE target_id = 'b' FOR UPDATE");
  const scheduled = scheduleTo(store, ["c", "b", "a"]);
  await database.whenCounted(blocked, 1);
  const removed = store.removeAccount(account, note());
  await database.whenCounted(blocked, 2);
  await aside.query("COMMIT");
  expect((await removed).kind).toBe("removed");
  expect((await scheduled).map(({ kind }) => kind)).toEqual(Array(3).fill("scheduled"));
  expect((await store.removeExpired(10)).removed).toBe(4);
  expect(await store.counts()).toEqual({ pending: 0 });
});

test("a target created during the removal is removed too, or finds no account", async () => {
  const { database, store, aside } = await setUp([]);
  await store.updateAccount(account, { state: "SUSPENDED" }, note());
  // Stops the creation at its very end, when the target is written but others cannot see it yet.
  await aside.query("BEGIN; LOCK TABLE audit_entries IN ACCESS EXCLUSIVE MODE");
  const made = store.createTarget(newTarget("t"), note());
  await database.whenCounted(blocked, 1);
  const removed = store.removeAccount(account, note());
  await database.whenCounted(blocked, 2);
  const late = store.createTarget(newTarget("late"), note());
  await database.whenCounted(blocked, 3);
  await aside.query("COMMIT");
  expect(await made).toMatchObject({ targetId: "t" });
  expect((await removed).kind).toBe("removed");
  expect(await late).toBe("no-account");
  const { rows } = await aside.query("SELECT target_id FROM targets WHERE removal_time IS NULL");
  expect(rows).toEqual([]);
});

test("nodes that empty an account at the same time remove everything, each row once", async () => {
  const { open, store } = await setUp(["a", "b"]);
  for (let round = 0; round < 10; round++) await scheduleTo(store, ["a", "b", "a", "b"]);
  const stores = [store, await open(), await open()];
  await store.updateAccount(account, { state: "SUSPENDED" }, note());
  await store.removeAccount(account, note());
  let removed = 0;
  await Promise.all(
    stores.map(async (each) => {
      for (;;) {
        const swept = await each.removeExpired(7);
        removed += swept.removed;
        if (swept.nextExpiry === null) return;
      }
    }),
  );
  expect(removed).toBe(40);
  expect(await store.counts()).toEqual({ pending: 0 });
});

const manyTargets = (count: number) => `
  INSERT INTO targets (account_id, target_id, kind, sealed_settings, sealed_secrets, retry_policy,
    max_concurrency, paused, creation_time, update_time, revision)
  SELECT account_id, 'u' || lpad(g::text, 4, '0'), kind, sealed_settings, sealed_secrets, retry_policy,
    max_concurrency, paused, creation_time, update_time, revision
  FROM targets, generate_series(1, ${count}) AS g;
  INSERT INTO target_turns (target_key) SELECT target_key FROM targets ON CONFLICT DO NOTHING`;
const countTargets = `SELECT count(*) FILTER (WHERE removal_time IS NULL)::int AS live,
  count(*) FILTER (WHERE sealed_settings <> '')::int AS readable FROM targets`;

test("an account with many targets is removed at once, and its targets in pieces", async () => {
  const { database, store, aside } = await setUp(["t"]);
  await aside.query(manyTargets(2_500));
  await store.updateAccount(account, { state: "SUSPENDED" }, note());
  await aside.query("BEGIN; SELECT 1 FROM targets WHERE target_id = 'u2400' FOR KEY SHARE");
  const removed = store.removeAccount(account, note());
  await database.whenCounted(blocked, 1);
  expect(await store.getAccount(account)).toBeUndefined();
  expect(await store.createTarget(newTarget("late"), note())).toBe("no-account");
  const { rows } = await aside.query(countTargets);
  expect(rows).toEqual([{ live: 501, readable: 501 }]);
  await aside.query("COMMIT");
  expect((await removed).kind).toBe("removed");
  expect((await aside.query(countTargets)).rows).toEqual([{ live: 0, readable: 0 }]);
});

test("targets that an interrupted removal left go later, with the messages scheduled to them since", async () => {
  const { store, aside } = await setUp(["a", "b", "c"]);
  await scheduleTo(store, ["a", "b"]);
  await store.updateAccount(account, { state: "SUSPENDED" }, note());
  // As a removal leaves it if it is interrupted after its first step.
  await aside.query("UPDATE accounts SET removal_time = now_ms()");
  const sweep = async () => (await store.removeExpired(2)).removed;
  expect([await sweep(), await sweep()]).toEqual([2, 2]);
  const results = await scheduleTo(store, ["a", "b", "c"]);
  expect(results.map(({ kind }) => kind)).toEqual(Array(3).fill("no-target"));
  expect((await aside.query(countTargets)).rows).toEqual([{ live: 0, readable: 0 }]);
  await expect.poll(sweep).toBe(0);
  expect(await store.counts()).toEqual({ pending: 0 });
  const { rows } = await aside.query("SELECT emptied FROM accounts");
  expect(rows).toEqual([{ emptied: true }]);
});

test("an account is not finished while something may still be scheduled in it", async () => {
  const { store, aside } = await setUp(["a"]);
  await scheduleTo(store, ["a"]);
  await store.updateAccount(account, { state: "SUSPENDED" }, note());
  await aside.query("UPDATE accounts SET removal_time = now_ms()");
  expect((await scheduleTo(store, ["a"]))[0]!.kind).toMatch(/scheduled|no-target/);
  while ((await store.removeExpired(1)).nextExpiry !== null);
  expect(await store.counts()).toEqual({ pending: 0 });
});

test("messages of the last of many targets are found, and then the account is finished", async () => {
  const { store, aside } = await setUp(["t"]);
  await aside.query(manyTargets(6_000));
  await scheduleTo(store, ["t", "u6000", "u6000"]);
  await store.updateAccount(account, { state: "SUSPENDED" }, note());
  await store.removeAccount(account, note());
  expect(await store.removeExpired(2)).toMatchObject({ removed: 2 });
  expect(await store.removeExpired(2)).toEqual({ removed: 1, nextExpiry: null });
  expect(await store.counts()).toEqual({ pending: 0 });
});
