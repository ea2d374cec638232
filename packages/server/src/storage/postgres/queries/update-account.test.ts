import { expect, onTestFinished, test } from "vitest";
import pg from "pg";
import { account, makeTarget, note, past, schedule } from "../../conformance/harness.ts";
import { testStores } from "../testing/test-stores.ts";

const makeStores = testStores();

/** The database's clock, but a claim that reads it waits for lock 1, after taking its snapshot. */
const slowClaims = `CREATE OR REPLACE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT CASE WHEN current_query() LIKE '%INSERT INTO claims%' THEN pg_advisory_xact_lock_shared(1) END;
  SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint $$`;
const waiting = `SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event = 'advisory'`;

test("a claim whose snapshot is older than the suspension claims nothing", async () => {
  const { database, open } = await makeStores();
  const store = await open();
  await store.ensureAccount(account, "One");
  const { targetKey } = await makeTarget(store, "t");
  await schedule(store, "t", past);
  const holder = await store.join("node", "all");
  const aside = new pg.Client(database.url);
  await aside.connect();
  onTestFinished(() => aside.end());
  await aside.query(slowClaims);

  for (const state of ["SUSPENDED", "ACTIVE"] as const) {
    await aside.query("SELECT pg_advisory_lock(1)");
    const claiming = store.claimDue(holder, [{ targetKey, limit: 5 }]);
    await database.whenCounted(waiting, 1);
    await store.updateAccount(account, { state }, note());
    await aside.query("SELECT pg_advisory_unlock(1)");
    const { claims, targets } = await claiming;
    expect(claims).toEqual([]);
    // The claim cannot tell what has changed, so the node asks again.
    expect(targets[0]!.closedMs).toBeGreaterThan(0);
  }
  expect((await store.claimDue(holder, [{ targetKey, limit: 5 }])).claims).toHaveLength(1);
});
