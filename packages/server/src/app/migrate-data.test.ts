import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { MigrationEvent } from "../cli/surroundings/data-migration.ts";
import { someJob } from "../domain/testing/some-job.ts";
import { note } from "../storage/conformance/harness.ts";
import { run } from "../storage/conformance/jobs/job-harness.ts";
import { openPostgresStore } from "../storage/postgres/open-postgres-store.ts";
import { testDatabases } from "../storage/postgres/testing/test-databases.ts";
import { openSqliteStore } from "../storage/sqlite/open-sqlite-store.ts";
import type { Store } from "../storage/store.ts";
import { migrateData } from "./migrate-data.ts";
import { damages } from "./testing/damages.ts";
import {
  accountId,
  day,
  eventfulFolder,
  movedSchedule,
  oddPayload,
  runningJob,
  triggeredSchedule,
} from "./testing/eventful-folder.ts";
import type { EventfulFolder } from "./testing/eventful-folder.ts";
import { view } from "./testing/store-view.ts";

const makeDatabase = testDatabases();
const neverStopped = new AbortController().signal;
const unfinished = /migration into this database is not finished/;

let folder: EventfulFolder;
beforeAll(async () => {
  folder = await eventfulFolder();
});
afterAll(() => folder.remove());

async function emptyDatabase(): Promise<string> {
  const database = await makeDatabase();
  onTestFinished(() => database.drop());
  return database.url;
}

async function connected(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

async function openStore(databaseUrl: string): Promise<Store> {
  const times = { retentionMs: 14 * day, idempotencyRetentionMs: day, leaseMs: 10_000 };
  const store = await openPostgresStore({ databaseUrl, ...times });
  onTestFinished(() => store.close());
  return store;
}

function migrate(from: string, to: string, onEvent: (event: MigrationEvent) => void = () => {}) {
  return migrateData({ from, to, signal: neverStopped, onEvent });
}

test("everything arrives unchanged: every state, every byte, every attempt", async () => {
  const ids = Object.values(folder.messageIds);
  const source = await folder.open();
  const before = await view(source, ids);
  await source.close();
  const databaseUrl = await emptyDatabase();

  const digest = (): string =>
    createHash("sha256")
      .update(readFileSync(join(folder.path, "postdate.db")))
      .digest("hex");
  const untouched = digest();
  const result = await migrate(folder.path, databaseUrl);
  expect(digest()).toBe(untouched);
  expect(result).toMatchObject({ kind: "migrated" });
  if (result.kind === "stopped") return;
  const counts = result.tables.map(({ kind, source, destination, equal }) => ({
    [kind]: [source.rows, destination.rows, equal],
  }));
  expect(counts).toEqual([
    { encryptionCheck: [1, 1, true] },
    { encryptionKeys: [2, 2, true] },
    { accounts: [4, 4, true] },
    { usage: [4, 4, true] },
    { keys: [3, 3, true] },
    { clients: [2, 2, true] },
    { revokedTokens: [1, 1, true] },
    { signingKeys: [2, 2, true] },
    { auditEntries: [33, 33, true] },
    { targets: [7, 7, true] },
    { messages: [16, 16, true] },
    { messageBounds: [1, 1, true] },
    { messageLabels: [5, 5, true] },
    { messageKeys: [1, 1, true] },
    { attempts: [7, 7, true] },
    { idempotencyKeys: [12, 12, true] },
    { jobs: [2, 2, true] },
    { jobMessages: [1, 1, true] },
    { schedules: [3, 3, true] },
    { scheduleRuns: [2, 2, true] },
    { movedRuns: [1, 1, true] },
    { eventEndpoints: [1, 1, true] },
    { eventLogs: [1, 1, true] },
    { eventBundles: [2, 2, true] },
    { targetHealth: [1, 1, true] },
  ]);

  const store = await openStore(databaseUrl);
  const after = await view(store, ids);
  // PostgreSQL cannot store a NUL in text. A replacement character shows where it was.
  const nulKey = before.keys[0]!.find(({ keyId }) => keyId === "key_b");
  const expected = JSON.parse(JSON.stringify(before).replaceAll("nul \\u0000 in", "nul \ufffd in"));
  expect(nulKey!.name).toContain("\0");
  expect(JSON.parse(JSON.stringify(after))).toEqual(expected);
  expect(after.payloads).toContain(oddPayload);
});

test("the new store continues: repeated requests, quota, claims, removed targets", async () => {
  const databaseUrl = await emptyDatabase();
  // A schema without data counts as empty.
  await (await openStore(databaseUrl)).close();
  await migrate(folder.path, databaseUrl);
  const store = await openStore(databaseUrl);
  const request = { accountId, targetId: "t", deliveryTime: 1, payload: "x", options: null };

  const idempotency = { key: "one:odd", fingerprint: "print of odd" };
  const [repeated] = await store.scheduleMessages([{ ...request, idempotency }]);
  expect(repeated).toMatchObject({
    kind: "repeated",
    message: { messageId: folder.messageIds["odd"] },
  });

  // Eleven of thirteen were used, so exactly two are left.
  const kinds = [];
  for (let index = 0; index < 3; index++) {
    const [result] = await store.scheduleMessages([{ ...request, idempotency: null }]);
    kinds.push(result!.kind);
  }
  expect(kinds).toEqual(["scheduled", "scheduled", "over-quota"]);

  const holder = await store.join("node", "all");
  const target = await store.getTarget({ accountId, targetId: "t" });
  const { claims } = await store.claimDue(holder, [{ targetKey: target!.targetKey, limit: 10 }]);
  expect(claims.map(({ payload }) => payload)).toContain(oddPayload);

  expect(await store.getTarget({ accountId, targetId: "removed" })).toBeUndefined();
  const recreated = await store.getTarget({ accountId, targetId: "recreated" });
  const taken = await store.claimDue(holder, [{ targetKey: recreated!.targetKey, limit: 10 }]);
  expect(taken.claims.map(({ messageId }) => messageId)).toEqual([
    folder.messageIds["again for recreated"],
  ]);
});

test("a running job goes on in the new store, with each message once", async () => {
  const databaseUrl = await emptyDatabase();
  await migrate(folder.path, databaseUrl);
  const store = await openStore(databaseUrl);
  const list = { accountId, targetId: "t", minTime: null, maxTime: null, after: null, limit: 99 };
  const before = await store.listScheduledMessages(list);
  const holder = await store.join("node", "all");
  expect(await store.takeJobs(holder, 9)).toEqual([runningJob]);
  const fast = { kind: "set-rate", ratePerSecond: 10_000 } as const;
  await store.changeJob(runningJob, fast, note());
  await run(store, holder, runningJob);
  const after = await store.listScheduledMessages(list);
  expect(before.length).toBeGreaterThan(2);
  // The first had its turn before it was moved.
  expect(before.map((each, index) => each.nextDeliveryTime! - Math.min(index, 1))).toEqual(
    after.map((each) => each.nextDeliveryTime),
  );
  const [idempotency, order] = [{ key: "one:job", fingerprint: "print" }, someJob({ accountId })];
  const repeated = await store.createJob(order, idempotency, note());
  expect(repeated).toMatchObject({ kind: "repeated", job: { state: "DONE", ...runningJob } });
});

test("a schedule goes on in the new store, with the runs that it had", async () => {
  const databaseUrl = await emptyDatabase();
  await migrate(folder.path, databaseUrl);
  const store = await openStore(databaseUrl);
  const ref = triggeredSchedule;
  const definition = (await store.getSchedule(ref))!;
  expect(await store.createSchedule({ ...ref, definition }, note())).toEqual({ kind: "exists" });
  const again = await store.changeSchedule(ref, { kind: "trigger" }, note());
  expect(again).toMatchObject({ kind: "changed", run: { trigger: "MANUAL", outcome: "CREATED" } });
  const runs = await store.listRuns({ ...ref, before: null, limit: 9 });
  expect(runs!.map(({ trigger }) => trigger)).toEqual(["MANUAL", "MANUAL"]);
  expect(runs![1]).toEqual(definition.lastRun);
  await store.removeSchedule(ref, note());
  expect(await store.getSchedule(ref)).toBeUndefined();
});

test("a removal in the new store takes back a message that was moved in the old one", async () => {
  const databaseUrl = await emptyDatabase();
  await migrate(folder.path, databaseUrl);
  const store = await openStore(databaseUrl);
  const { messageId } = (await store.removeSchedule(movedSchedule, note()))!.lastRun!;
  const message = await store.getMessage({ accountId: "acc_two", messageId: messageId! });
  expect(message).toMatchObject({ state: "CANCELLED" });
});

test("accounts arrive unchanged: suspended, removed, with their limits and credentials", async () => {
  const databaseUrl = await emptyDatabase();
  await migrate(folder.path, databaseUrl);
  const store = await openStore(databaseUrl);
  const holder = await store.join("node", "all");
  const { targetKey } = (await store.getTarget({ accountId: "acc_suspended", targetId: "t" }))!;
  const payloads = async (): Promise<string[]> =>
    (await store.claimDue(holder, [{ targetKey, limit: 5 }])).claims.map(({ payload }) => payload);
  expect(await payloads()).toEqual([]);
  await store.updateAccount("acc_suspended", { state: "ACTIVE" }, note());
  expect(await payloads()).toEqual(["acc_suspended"]);

  expect(await store.getAccount("acc_removed")).toBeUndefined();
  expect(await store.ensureAccount("acc_removed", "Again")).toEqual({ created: false });
  expect((await store.removeExpired(10)).removed).toBe(1);
  expect((await store.findClient("client_b"))!.secrets).toMatchObject({
    current: "second hash",
    previous: "first hash",
  });
});

test("it stops when asked; servers refuse a half-migrated database; the next run goes on", async () => {
  const databaseUrl = await emptyDatabase();
  const stopping = new AbortController();
  const request = { from: folder.path, to: databaseUrl, signal: stopping.signal };
  const stopped = await migrateData({
    ...request,
    onEvent: (event) => {
      if (event.kind === "copied" && event.what === "messages") stopping.abort();
    },
  });
  expect(stopped).toEqual({ kind: "stopped" });
  await expect(openStore(databaseUrl)).rejects.toThrow(unfinished);

  const events: MigrationEvent[] = [];
  const result = await migrate(folder.path, databaseUrl, (event) => events.push(event));
  expect(result.kind).toBe("migrated");
  expect(events[0]).toEqual({ kind: "began", rows: 115, copied: 75 });
  const copied = events.flatMap((event) => (event.kind === "copied" ? [event.what] : []));
  expect(copied).toEqual([
    "messageBounds",
    "messageLabels",
    "messageKeys",
    "attempts",
    "idempotencyKeys",
    "jobs",
    "jobMessages",
    "schedules",
    "scheduleRuns",
    "movedRuns",
    "eventEndpoints",
    "eventLogs",
    "eventBundles",
    "targetHealth",
  ]);
  await openStore(databaseUrl);
});

test("after a stop during the comparison, the next run goes on with it", async () => {
  const databaseUrl = await emptyDatabase();
  const stopping = new AbortController();
  const request = { from: folder.path, to: databaseUrl, signal: stopping.signal };
  const stopped = await migrateData({
    ...request,
    onEvent: (event) => void (event.kind === "compared" && stopping.abort()),
  });
  expect(stopped).toEqual({ kind: "stopped" });
  await expect(openStore(databaseUrl)).rejects.toThrow(unfinished);
  expect(await migrate(folder.path, databaseUrl)).toMatchObject({ kind: "migrated" });
});

test("the comparison finds every difference, and no server starts while there is one", async () => {
  const databaseUrl = await emptyDatabase();
  const client = await connected(databaseUrl);
  const stopping = new AbortController();
  await migrateData({
    from: folder.path,
    to: databaseUrl,
    signal: stopping.signal,
    onEvent: (event) => {
      if (event.kind === "copied" && event.what === "targetHealth") stopping.abort();
    },
  });
  for (const [kind, damage, repair] of damages) {
    await client.query(damage);
    const result = await migrate(folder.path, databaseUrl);
    if (result.kind !== "different") throw new Error(`not found: ${damage}`);
    const different = result.tables.filter(({ equal }) => !equal);
    expect(different.map((table) => table.kind)).toEqual([kind]);
    expect(different[0]!.firstDifference).not.toBeNull();
    await expect(openStore(databaseUrl)).rejects.toThrow(unfinished);
    await client.query(repair);
  }
  expect(await migrate(folder.path, databaseUrl)).toMatchObject({ kind: "migrated" });
  await openStore(databaseUrl);
}, 120_000);

test("destinations that are not empty are refused and left unchanged", async () => {
  const finished = await emptyDatabase();
  await migrate(folder.path, finished);
  await expect(migrate(folder.path, finished)).rejects.toThrow(/was finished at 20\d\d-/);

  const served = await emptyDatabase();
  await (await openStore(served)).ensureAccount("acc_default", "Default");
  await expect(migrate(folder.path, served)).rejects.toThrow(/not empty: a server has worked/);
  expect(await (await openStore(served)).listKeys(accountId)).toEqual([]);

  const foreign = await emptyDatabase();
  const client = await connected(foreign);
  await client.query("CREATE TABLE customers (name text)");
  await expect(migrate(folder.path, foreign)).rejects.toThrow(/something else \(customers\)/);
  const { rows } = await client.query("SELECT to_regclass('schema_version') AS made");
  expect(rows).toEqual([{ made: null }]);
});

test("an interrupted migration goes on only from the same, unchanged data", async () => {
  const copy = mkdtempSync(join(tmpdir(), "postdate-migrate-"));
  onTestFinished(() => rmSync(copy, { recursive: true }));
  cpSync(folder.path, copy, { recursive: true });
  const databaseUrl = await emptyDatabase();
  const request = { to: databaseUrl, signal: AbortSignal.abort(), onEvent: () => {} };
  expect(await migrateData({ from: copy, ...request })).toEqual({ kind: "stopped" });

  const open = () =>
    openSqliteStore({ dataDir: copy, retentionMs: day, idempotencyRetentionMs: day });
  const store = await open();
  await expect(migrate(copy, databaseUrl)).rejects.toThrow(/in use by another/);
  await store.join("embedded", "all");
  await store.close();
  await expect(migrate(copy, databaseUrl)).rejects.toThrow(/worked on the data folder since/);

  for (const file of ["postdate.db", "postdate.db-wal", "postdate.db-shm"]) {
    rmSync(join(copy, file), { force: true });
  }
  const other = await open();
  await other.ensureAccount(accountId, "One");
  await other.close();
  await expect(migrate(copy, databaseUrl)).rejects.toThrow(/unfinished migration of other data/);
});
