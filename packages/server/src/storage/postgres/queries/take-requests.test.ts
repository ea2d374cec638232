import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { account, hour } from "../../conformance/harness.ts";
import type { RequestTaken, Store } from "../../store.ts";
import { testStores } from "../testing/test-stores.ts";

const makeStores = testStores();
const limit = { max: 4, intervalMs: hour };
const spacingMs = hour / 4;
const blocked = `SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

const take = (store: Store, ...accountIds: readonly string[]): Promise<RequestTaken[]> =>
  store.takeRequests(accountIds.map((accountId) => ({ accountId, limit })));
const seen = (taken: readonly RequestTaken[]) =>
  taken.map(({ allowed, remaining }) => (allowed ? remaining : "refused"));

async function setUp() {
  const { database, open } = await makeStores();
  const aside = new pg.Client(database.url);
  await aside.connect();
  onTestFinished(() => aside.end());
  return { database, aside, store: await open(), open };
}

test("nodes that ask for the same accounts in different orders do not wait for each other in a circle", async () => {
  const { database, aside, store, open } = await setUp();
  const other = await open();
  await take(store, "a", "b", "c");
  await aside.query("BEGIN; SELECT 1 FROM request_buckets WHERE account_id = 'b' FOR UPDATE");
  const taken = [take(store, "a", "b", "c"), take(other, "c", "b", "a")];
  await database.whenCounted(blocked, 2);
  await aside.query("COMMIT");
  const [one, two] = (await Promise.all(taken)).map(seen);
  // The first node had three left in each bucket, and left two.
  const isFirst = one![0] === 2;
  expect([one, two]).toEqual(
    isFirst
      ? [
          [2, 2, 2],
          [1, 1, 1],
        ]
      : [
          [1, 1, 1],
          [2, 2, 2],
        ],
  );
});

test("requests that another node takes while this one waits for the bucket count", async () => {
  const { database, aside, store } = await setUp();
  expect(seen(await take(store, account))).toEqual([3]);
  await aside.query("BEGIN; SELECT 1 FROM request_buckets FOR UPDATE");
  const taken = take(store, account, account, account);
  await database.whenCounted(blocked, 1);
  await aside.query(`UPDATE request_buckets SET full_at = full_at + ${2 * spacingMs}; COMMIT`);
  expect(seen(await taken)).toEqual([0, "refused", "refused"]);
});

test("this node asks again for a bucket that was emptied during the wait, and is refused", async () => {
  const { database, aside, store } = await setUp();
  await take(store, account);
  await aside.query("BEGIN; SELECT 1 FROM request_buckets FOR UPDATE");
  const taken = take(store, account);
  await database.whenCounted(blocked, 1);
  await aside.query(`UPDATE request_buckets SET full_at = full_at + ${3 * spacingMs}; COMMIT`);
  const [refused] = await taken;
  expect(refused).toMatchObject({ allowed: false, remaining: 0 });
  expect(refused!.fullInMs).toBeGreaterThan(hour - 60_000);
});

test("a bucket that another node creates at the same moment is the one that counts", async () => {
  const { database, aside, store } = await setUp();
  await aside.query(`BEGIN;
    INSERT INTO request_buckets VALUES ('${account}', now_ms() + ${3 * spacingMs})`);
  const taken = take(store, account, account);
  await database.whenCounted(blocked, 1);
  await aside.query("COMMIT");
  expect(seen(await taken)).toEqual([0, "refused"]);
});

test("a refusal waits for no lock and writes nothing", async () => {
  const { aside, store } = await setUp();
  await take(store, ...Array(4).fill(account));
  const row = async () =>
    (await aside.query("SELECT ctid, xmin, xmax, full_at FROM request_buckets")).rows;
  const before = await row();
  expect(seen(await take(store, account, account))).toEqual(["refused", "refused"]);
  expect(await row()).toEqual(before);
  await aside.query("BEGIN; SELECT 1 FROM request_buckets FOR UPDATE");
  expect(seen(await take(store, account))).toEqual(["refused"]);
  await aside.query("ROLLBACK");
});
