import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { testDatabases } from "../../src/storage/postgres/testing/test-databases.ts";
import { inMs } from "../support/api.ts";
import { runCommand } from "./support/run-command.ts";
import { addTarget, scheduleAt, services } from "../support/service.ts";
import type { ServiceUnderTest } from "../support/service.ts";

const startService = services();
const makeDatabase = testDatabases();
const hourMs = 3_600_000;
/** More than one batch of the copy. */
const manyMessages = 3_000;

test("after a kill in the middle and a second run, every message is copied once and delivered", async () => {
  const service = await startService();
  const { dataDir, receiver } = service;
  await addTarget(service);
  const delivered = await scheduleAt(service, inMs(0), { payload: "delivered before" });
  await receiver.received(1);
  await expectState(service, delivered, "DELIVERED");
  await scheduleMany(service);
  const odd = "NUL \0, emoji 🙂, lone quote '";
  const headers = { "idempotency-key": "order-1" };
  const body = { targetId: "t", deliveryTime: inMs(hourMs), payload: odd };
  const first = await service.api("POST", "/v1/messages", { body, headers });
  const messageId = first.body.messageId as string;
  const database = await makeDatabase();
  onTestFinished(() => database.drop());
  const migration = ["migrate", "--from", dataDir, "--to", database.url];

  const whileServed = await runCommand(migration).ended;
  expect(whileServed).toMatchObject({ code: 1, stdout: "" });
  expect(whileServed.stderr).toMatch(/is in use by another Postdate process\. Stop that one/);
  await service.server.stop();

  await killInTheMiddle(database, migration);
  const env = {
    POSTDATE_DATABASE_URL: database.url,
    POSTDATE_ENCRYPTION_KEY: readFileSync(join(dataDir, "encryption.key"), "utf8").trim(),
  };
  await expect(service.restart({ env })).rejects.toThrow(/migration into this .* is not finished/);

  const again = await runCommand([...migration, "--json"]).ended;
  expect(again.code, again.stderr).toBe(0);
  expect(again.stderr).toMatch(/Going on with an unfinished migration: 2,\d\d\d of/);
  expect(again.stderr).toContain(`POSTDATE_ENCRYPTION_KEY`);
  expect(again.stderr).toContain(join(dataDir, "encryption.key"));
  expect(again.stderr + again.stdout).not.toContain(env.POSTDATE_ENCRYPTION_KEY);
  const { migrated, tables } = JSON.parse(again.stdout);
  expect(migrated).toBe(true);
  const messages = tables.find(({ kind }: { kind: string }) => kind === "messages");
  expect(messages).toMatchObject({
    source: { rows: manyMessages + 2 },
    destination: { rows: manyMessages + 2, checksum: messages.source.checksum },
    equal: true,
  });

  const otherKey = { ...env, POSTDATE_ENCRYPTION_KEY: "00".repeat(32) };
  await expect(service.restart({ env: otherKey })).rejects.toThrow(/encryption key does not fit/);

  const moved = await service.restart({ env });
  const repeat = await moved.api("POST", "/v1/messages", { body, headers });
  expect(repeat.body).toEqual(first.body);
  expect(repeat.headers.get("idempotency-replayed")).toBe("true");
  await expectState(moved, delivered, "DELIVERED");
  await moved.api("POST", `/v1/messages/${messageId}/reschedule`, {
    body: { deliveryTime: inMs(0) },
  });
  const [receipt] = await receiver.received(1, (one) => one.messageId === messageId);
  expect(receipt!.body.toString()).toBe(odd);
  const of = (one: { messageId: string }): boolean => one.messageId === delivered;
  expect(receiver.receipts.filter(of)).toHaveLength(1);
}, 120_000);

async function expectState(
  { api }: ServiceUnderTest,
  messageId: string,
  state: string,
): Promise<void> {
  const stateOf = async () => (await api("GET", `/v1/messages/${messageId}`)).body?.state;
  await expect.poll(stateOf).toBe(state);
}

async function scheduleMany({ api }: ServiceUnderTest): Promise<void> {
  const deliveryTime = inMs(hourMs);
  for (let batch = 0; batch < manyMessages / 1_000; batch++) {
    const messages = Array.from({ length: 1_000 }, (_, index) => ({
      targetId: "t",
      deliveryTime,
      payload: `message ${batch}/${index}`,
    }));
    const { status } = await api("POST", "/v1/messages/batch", { body: { messages } });
    expect(status).toBe(200);
  }
}

/**
 * Blocks the second batch of messages with an uncommitted row that has the id of its last message. Then
 * kills the process that waits for that row.
 */
async function killInTheMiddle(
  database: { readonly url: string; whenCounted(sql: string, count: number): Promise<void> },
  migration: readonly string[],
): Promise<void> {
  const upgraded = await runCommand(["schema", "upgrade", "--database-url", database.url]).ended;
  expect(upgraded.code, upgraded.stderr).toBe(0);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query("BEGIN");
  await client.query(
    `INSERT INTO messages (message_id, account_id, target_key, state, version, scheduling_time,
       original_delivery_time, delivery_failure_count, attempt_count, attempts_this_round,
       planning_time, payload)
     SELECT $1, 'x', 0, 0, 1, 0, 0, 0, 0, 0, 0, ''`,
    [lastMessageId(migration[2]!)],
  );
  const run = runCommand(migration);
  await database.whenCounted(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    1,
  );
  await database.whenCounted("SELECT count(*)::int AS count FROM messages", 2_000);
  run.process.kill("SIGKILL");
  expect((await run.ended).code).toBeNull();
  await client.query("ROLLBACK");
  await client.end();
}

function lastMessageId(dataDir: string): string {
  const db = new DatabaseSync(join(dataDir, "postdate.db"), { readOnly: true });
  const row = db
    .prepare("SELECT hex(message_id) AS id FROM messages ORDER BY message_key DESC LIMIT 1")
    .get();
  db.close();
  return String(row!["id"]);
}
