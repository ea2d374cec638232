import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { account, makeTarget, past, schedule } from "../../conformance/harness.ts";
import { StoreUnavailable } from "../../store.ts";
import { rowKeyOf } from "../rows/message-rows.ts";
import { testStores } from "../testing/test-stores.ts";

const makeStores = testStores();
const ref = { accountId: account, targetId: "t" };

/** A node that may test a target with a concurrency of one, and a session of its own. */
async function setUp() {
  const { database, open } = await makeStores();
  const store = await open();
  await store.ensureAccount(account, "One");
  const { targetKey } = await makeTarget(store, "t", { maxConcurrency: 1 });
  const { epoch } = await store.join("one", "all");
  const aside = new pg.Client(database.url);
  await aside.connect();
  onTestFinished(() => aside.end());
  return { database, store, targetKey, epoch, aside };
}

test("a test waits for a claim under way for its target, and counts it", async () => {
  const { database, store, targetKey, epoch, aside } = await setUp();
  const { messageId } = await schedule(store, "t", past);
  await aside.query("BEGIN");
  await aside.query("UPDATE target_turns SET turn = turn + 1 WHERE target_key = $1", [targetKey]);
  await aside.query(
    "INSERT INTO claims (target_key, message_id, epoch, round) VALUES ($1, $2, $3, 0)",
    [targetKey, rowKeyOf(messageId), epoch],
  );
  const testing = store.beginTest(ref);
  const waiting = `SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await Promise.race([database.whenCounted(waiting, 1), testing]);
  await aside.query("COMMIT");
  expect(await testing).toEqual({ kind: "busy" });
});

test("a node whose membership is over begins no test", async () => {
  const { store, aside } = await setUp();
  await aside.query("DELETE FROM nodes");
  await expect(store.beginTest(ref)).rejects.toThrow(StoreUnavailable);
  expect((await store.getUsage(account))?.used).toBe(0);
});
