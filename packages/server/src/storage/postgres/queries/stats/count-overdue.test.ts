import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { account, farFuture, makeTarget, note, schedule } from "../../../conformance/harness.ts";
import { testStores } from "../../testing/test-stores.ts";

const makeStores = testStores();

test("when a paused target has more due than one look reads, the walk finds what is due elsewhere", async () => {
  const { database, open } = await makeStores();
  const store = await open();
  await store.ensureAccount(account, "One");
  const { targetKey } = await makeTarget(store, "paused");
  await makeTarget(store, "early");
  const { targetKey: fullKey } = await makeTarget(store, "full");
  await makeTarget(store, "last");
  await schedule(store, "paused", farFuture - 9);
  await schedule(store, "early", farFuture - 7);
  await schedule(store, "full", farFuture - 5);
  for (const _ of [1, 2]) await schedule(store, "last", farFuture);
  const copies = async (key: number, count: number): Promise<void> => {
    await aside.query(
      `INSERT INTO messages SELECT gen_random_uuid(), account_id, target_key, state, version, scheduling_time,
         original_delivery_time, next_delivery_time, NULL, NULL, NULL, NULL, 0, 0, 0, planning_time, payload
       FROM messages, generate_series(1, $2) WHERE target_key = $1`,
      [key, count],
    );
  };
  const aside = new pg.Client(database.url);
  await aside.connect();
  onTestFinished(() => aside.end());
  await copies(targetKey, 20_000);
  const ref = { accountId: account, targetId: "paused" };
  await store.updateTarget(ref, { paused: true }, null, note());

  const asked = { until: farFuture, mostOfOne: 100_000 };
  const first = await store.countOverdue({ ...asked, after: null });
  expect(first).toMatchObject({ count: 0, reached: expect.any(String) });
  const walked = await store.countOverdue({ ...asked, after: first.reached });
  expect(walked).toEqual({ count: 4, oldestDueAt: farFuture - 7, reached: null });

  // Now one target alone fills a call. Where it does not fit behind another one, the next call counts all of it.
  await copies(fullKey, 20_500);
  const early = await store.countOverdue({ ...asked, after: first.reached });
  expect(early).toMatchObject({ count: 1, oldestDueAt: farFuture - 7 });
  const full = await store.countOverdue({ ...asked, after: early.reached });
  expect(full).toMatchObject({ count: 20_000, oldestDueAt: farFuture - 5 });
  const rest = await store.countOverdue({ ...asked, after: full.reached });
  expect(rest).toEqual({ count: 2, oldestDueAt: farFuture, reached: null });
  const few = await store.countOverdue({ ...asked, mostOfOne: 1, after: first.reached });
  expect(few).toEqual({ count: 3, oldestDueAt: farFuture - 7, reached: null });
});
