import pg from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import type { ConflictMode } from "../../../domain/message-key.ts";
import { account, farFuture, makeTarget, otherAccount } from "../../conformance/harness.ts";
import type { ScheduleRequest, Store } from "../../store.ts";
import { testStores } from "../testing/test-stores.ts";

const makeStores = testStores();

function keyed(key: string, onConflict: ConflictMode = "replace"): ScheduleRequest {
  return {
    accountId: account,
    targetId: "t",
    deliveryTime: farFuture,
    payload: `${onConflict} ${key}`,
    options: { key },
    wantedKey: { key, onConflict, maxWaitMs: null },
    idempotency: null,
  };
}

/** A store with scheduled messages that have the keys "a" and "b". */
async function withHolders(options: { readonly deadlineMs?: number } = {}) {
  const { database, open } = await makeStores();
  const store = await open(options);
  await store.ensureAccount(account, "");
  await makeTarget(store, "t");
  await store.scheduleMessages([keyed("a"), keyed("b")]);

  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client(database.url);
    await client.connect();
    onTestFinished(() => client.end());
    return client;
  };
  const watch = await connect();
  const whenWaiting = (count: number): Promise<unknown> =>
    vi.waitFor(async () => {
      const { rows } = await watch.query(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      expect(rows).toHaveLength(count);
    }, 30_000);
  return { store, connect, whenWaiting };
}

const lockHolder = (client: pg.Client, key: string): Promise<unknown> =>
  client.query(
    `SELECT 1 FROM messages WHERE message_id =
      (SELECT message_id FROM message_keys WHERE key = $1) FOR UPDATE`,
    [key],
  );

async function outcomes(store: Store, keys: readonly string[]): Promise<unknown[]> {
  const results = await store.scheduleMessages(keys.map((key) => keyed(key)));
  return results.map((result) => ("keyOutcome" in result ? result.keyOutcome : result.kind));
}

test.each([
  ["a", "b"],
  ["b", "a"],
])("a batch that waits for the holder of %s holds no other one", async (first, second) => {
  const { store, connect, whenWaiting } = await withHolders();
  const recording = await connect();
  await recording.query("BEGIN");
  await lockHolder(recording, first);
  const batch = outcomes(store, ["a", "b"]);
  await whenWaiting(1);
  // A node that records several attempts locks their messages in whatever order.
  await lockHolder(recording, second);
  await recording.query("COMMIT");
  expect(await batch).toEqual(["replaced", "replaced"]);
});

test("a batch whose holder ends meanwhile does not wait for its key while it holds others", async () => {
  const { store, connect, whenWaiting } = await withHolders();
  const [ending, other] = [await connect(), await connect()];
  await ending.query("BEGIN");
  await lockHolder(ending, "b");
  const batch = outcomes(store, ["a", "b"]);
  await whenWaiting(1);
  await ending.query(
    `WITH freed AS (DELETE FROM message_keys WHERE key = 'b' RETURNING message_id)
    UPDATE messages SET state = 3, next_delivery_time = NULL
    WHERE message_id = (SELECT message_id FROM freed)`,
  );
  await other.query("BEGIN");
  const taken = other.query(
    `INSERT INTO message_keys SELECT target_key, 'b', gen_random_uuid() FROM targets
    ON CONFLICT DO NOTHING`,
  );
  await whenWaiting(2);
  await ending.query("COMMIT");
  await taken;
  await lockHolder(other, "a");
  await other.query("ROLLBACK");
  expect(await batch).toEqual(["replaced", "created"]);
});

test("what waited for a holder takes the time at which it got it", async () => {
  const { store, connect, whenWaiting } = await withHolders();
  const [holder] = await store.scheduleMessages([keyed("a", "keep")]);
  const recording = await connect();
  await recording.query("BEGIN");
  await lockHolder(recording, "a");
  const delayed = store.scheduleMessages([{ ...keyed("a"), deliveryTime: { delayMs: 60_000 } }]);
  await whenWaiting(1);
  const { rows } = await recording.query(
    `UPDATE messages SET attempt_count = 1, version = version + 1
    WHERE message_id = (SELECT message_id FROM message_keys WHERE key = 'a') RETURNING now_ms() AS now`,
  );
  const attemptedAt = Number(rows[0].now);
  await recording.query("COMMIT");
  const [result] = await delayed;
  const { message } = result as Extract<typeof result, { kind: "scheduled" }>;
  const { messageId } = (holder as Extract<typeof holder, { kind: "kept" }>).message;
  const replaced = await store.getMessage({ accountId: account, messageId });
  expect(result).toMatchObject({ kind: "scheduled", keyOutcome: "replaced" });
  expect(message.schedulingTime).toBeGreaterThanOrEqual(attemptedAt);
  expect(message.nextDeliveryTime).toBe(message.schedulingTime + 60_000);
  expect(replaced?.cancellationTime).toBeGreaterThanOrEqual(attemptedAt);
});

async function countDeadlocks(url: string): Promise<number> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query(
    "SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()",
  );
  await client.end();
  return rows[0].deadlocks;
}

test("batches with the same keys in opposite orders all succeed", async () => {
  const { database, open } = await makeStores();
  const before = await countDeadlocks(database.url);
  const stores = [await open(), await open(), await open()];
  await stores[0]!.ensureAccount(account, "");
  await makeTarget(stores[0]!, "t");
  const keys = Array.from({ length: 20 }, (_, index) => `key-${index}`);
  const calls = Array.from({ length: 30 }, (_, call) => {
    const turned = call % 2 === 0 ? keys : keys.toReversed();
    return outcomes(stores[call % 3]!, [...turned.slice(call % 7), ...turned.slice(0, call % 7)]);
  });
  const results = (await Promise.all(calls)).flat();
  expect(results.filter((outcome) => outcome === "created")).toHaveLength(keys.length);
  expect(results.filter((outcome) => outcome === "replaced")).toHaveLength(29 * keys.length);
  expect(await countDeadlocks(database.url)).toBe(before);
});

test("a message is stored once although the holder that its batch waits for stays locked", async () => {
  const { store, connect } = await withHolders({ deadlineMs: 2_000 });
  await store.ensureAccount(otherAccount, "");
  await makeTarget(store, "t", { accountId: otherAccount });
  const { wantedKey: _, ...without } = keyed("c");
  const beside = { ...without, accountId: otherAccount, options: { labels: { a: "1" } } };
  // An account's first message of a month takes another way, and would not be gathered.
  await store.scheduleMessages([beside]);
  const aside = await connect();
  await aside.query("BEGIN");
  await lockHolder(aside, "a");
  const [locked, other] = await Promise.all([
    store.scheduleMessages([keyed("a")]),
    store.scheduleMessages([beside]),
  ]);
  expect(locked).toEqual([{ kind: "held", messageId: null }]);
  expect(other).toMatchObject([{ kind: "scheduled" }]);
  await aside.query("COMMIT");
  expect(await store.getUsage(otherAccount)).toMatchObject({ used: 2 });
});
