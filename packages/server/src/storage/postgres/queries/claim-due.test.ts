import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { account, hour, makeTarget, refTo, schedule } from "../../conformance/harness.ts";
import type { Store } from "../../store.ts";
import { openPostgresStore } from "../open-postgres-store.ts";
import { testDatabases } from "../testing/test-databases.ts";
import { patientDeadlineMs } from "../testing/test-stores.ts";

const makeDatabase = testDatabases();

/**
 * The database's clock stands still for sessions with this setting while a session holds lock 1.
 */
const slowClock = `
  ALTER FUNCTION now_ms() RENAME TO real_now_ms;
  CREATE FUNCTION now_ms() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$ BEGIN
    IF current_setting('test.slow', true) = 'on' THEN PERFORM pg_advisory_xact_lock_shared(1); END IF;
    RETURN real_now_ms();
  END $$`;

test("a message that is cancelled during a claim is not sent, whenever it was due", async () => {
  const database = await makeDatabase();
  onTestFinished(() => database.drop());
  const open = async (databaseUrl: string): Promise<Store> => {
    const settings = { retentionMs: hour, idempotencyRetentionMs: hour, leaseMs: 60_000 };
    const deadlineMs = patientDeadlineMs;
    const store = await openPostgresStore({ databaseUrl, deadlineMs, ...settings });
    onTestFinished(() => store.close());
    return store;
  };
  const store = await open(database.url);
  const aside = new pg.Client(database.url);
  await aside.connect();
  onTestFinished(() => aside.end());
  await aside.query(slowClock);
  const slow = await open(`${database.url}?options=-c%20test.slow%3Don`);
  await store.ensureAccount(account, "One");
  const { targetKey } = await makeTarget(store, "t");
  // One millisecond before the epoch: -1 once stood for "none".
  const message = await schedule(store, "t", Date.parse("1969-12-31T23:59:59.999Z"));
  const holder = await store.join("one", "all");

  // The claim has taken its snapshot of the database, and continues after the message is cancelled.
  await aside.query("SELECT pg_advisory_lock(1)");
  const claimed = slow.claimDue(holder, [{ targetKey, limit: 1 }]);
  await database.whenCounted(
    `SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event = 'advisory'`,
    1,
  );
  const cancelled = await store.cancelMessage({ ...refTo(message), waitMs: 0 });
  expect(cancelled).toMatchObject({ kind: "changed" });
  await aside.query("SELECT pg_advisory_unlock(1)");
  expect((await claimed).claims).toEqual([]);
});
