import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import {
  account,
  farFuture,
  makeTarget,
  note,
  past,
  refTo,
  resultOf,
  schedule,
} from "../conformance/harness.ts";
import { createEndpoint, newEndpoint, toldAbout } from "../conformance/events/event-harness.ts";
import {
  advance,
  byCaller,
  messagesOf,
  refOf,
  run,
  scheduleMany,
  start,
} from "../conformance/jobs/job-harness.ts";
import { StoreUnavailable } from "../store.ts";
import { rowKeyOf } from "./rows/message-rows.ts";
import type { TestDatabase } from "./testing/test-databases.ts";
import { testStores } from "./testing/test-stores.ts";

const makeStores = testStores();

const blocked = `SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/** Connections whose host can vanish before a commit: no answer arrives, and nothing closes. */
async function wayThatEnds(databaseUrl: string) {
  const vanished = Promise.withResolvers<void>();
  let ending = false;
  const sockets: Socket[] = [];
  const direct = new URL(databaseUrl);
  const proxy = createServer((client) => {
    const server = connect(Number(direct.port), direct.hostname);
    let gone = false;
    sockets.push(client, server);
    client.on("data", (bytes) => {
      if (ending && bytes.includes("COMMIT")) {
        gone = true;
        vanished.resolve();
      }
      if (!gone) server.write(bytes);
    });
    server.on("data", (bytes) => gone || client.write(bytes));
    client.on("close", () => gone || server.destroy());
    server.on("close", () => gone || client.destroy());
    for (const socket of [client, server]) socket.on("error", () => {});
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  const url = new URL(databaseUrl);
  url.port = String((proxy.address() as AddressInfo).port);
  const vanishBeforeTheNextCommit = (): Promise<void> => {
    ending = true;
    return vanished.promise;
  };
  return { url: url.href, vanishBeforeTheNextCommit };
}

test("locks of a vanished host are free in time for the call that waits for them", async () => {
  const { database, open } = await makeStores();
  const way = await wayThatEnds(database.url);
  // What a session may hold follows from its deadline, so both nodes have the same.
  const deadlineMs = 8_000;
  const [store, other] = [
    await open({ deadlineMs, databaseUrl: way.url }),
    await open({ deadlineMs }),
  ];
  await other.ensureAccount(account, "One");
  const { targetKey } = await makeTarget(other, "t");
  await schedule(other, "t", past);
  const holder = await other.join("two", "all");
  const ref = { accountId: account, targetId: "t" };

  const vanished = way.vanishBeforeTheNextCommit();
  const lost = store.updateTarget(ref, { maxConcurrency: 7 }, null, note()).catch(() => {});
  await vanished;
  const changed = await other.updateTarget(ref, { maxConcurrency: 9 }, null, note());
  expect(changed).toMatchObject({ kind: "updated", target: { maxConcurrency: 9 } });
  const { claims } = await other.claimDue(holder, [{ targetKey, limit: 1 }]);
  expect(claims).toHaveLength(1);
  await lost;
}, 30_000);

test("a host that vanishes within a step of a job keeps the job no longer than its session lasts", async () => {
  const { database, open } = await makeStores();
  const way = await wayThatEnds(database.url);
  const deadlineMs = 8_000;
  const [store, other] = [
    await open({ deadlineMs, databaseUrl: way.url }),
    await open({ deadlineMs }),
  ];
  await other.ensureAccount(account, "One");
  await makeTarget(other, "t");
  const messages = await scheduleMany(other, 3);
  const job = await start(other);
  const [holder, next] = [await store.join("one", "all"), await other.join("two", "all")];
  await store.takeJobs(holder, 1);

  const vanished = way.vanishBeforeTheNextCommit();
  const lost = advance(store, holder, job).catch(() => {});
  await vanished;
  const changed = await other.changeJob(refOf(job), { kind: "pause" }, byCaller());
  // The step was undone with its session.
  expect(changed).toMatchObject({ kind: "changed", job: { state: "PAUSED", matched: 0 } });
  await other.changeJob(refOf(job), { kind: "resume" }, byCaller());
  await other.leave(holder);
  expect(await other.takeJobs(next, 1)).toEqual([refOf(job)]);
  expect(await run(other, next, job)).toMatchObject({ matched: 3, done: 3 });
  for (const message of await messagesOf(other, messages)) expect(message.state).toBe("CANCELLED");
  await lost;
}, 30_000);

test("a host that vanishes within a move of events keeps the others from it no longer than its session lasts", async () => {
  const { database, open } = await makeStores();
  const way = await wayThatEnds(database.url);
  const deadlineMs = 8_000;
  const [store, other] = [
    await open({ deadlineMs, databaseUrl: way.url }),
    await open({ deadlineMs }),
  ];
  await other.ensureAccount(account, "One");
  await makeTarget(other, "t");
  await createEndpoint(other, newEndpoint("all"));
  const { messageId } = await schedule(other, "t", farFuture);

  const vanished = way.vanishBeforeTheNextCommit();
  const lost = store.moveEvents(10).catch(() => {});
  await vanished;
  expect((await other.moveEvents(10)).moved).toBe(0);
  while ((await other.moveEvents(10)).moved === 0);
  expect(await toldAbout(other, messageId)).toEqual(["message.scheduled"]);
  const span = (await other.logSpans([account])).get(account);
  expect(span).toEqual({ removedUpTo: 0, last: 1 });
  await lost;
}, 30_000);

/** A message that another session has locked, and a node that delivers others. */
async function lockedMessage(deadlineMs: number) {
  const { database, open } = await makeStores();
  const store = await open({ deadlineMs });
  await store.ensureAccount(account, "One");
  await store.ensureAccount("acc_two", "Two");
  const { targetKey } = await makeTarget(store, "t");
  const message = await schedule(store, "t", farFuture);
  const aside = new pg.Client(database.url);
  await aside.connect();
  onTestFinished(() => aside.end());
  await aside.query("BEGIN");
  const lock = "SELECT 1 FROM messages WHERE message_id = $1 FOR UPDATE";
  await aside.query(lock, [rowKeyOf(message.messageId)]);
  const alsoLock = (messageId: string) => aside.query(lock, [rowKeyOf(messageId)]);
  return { database, store, targetKey, message, aside, alsoLock };
}

/** Resolves when at least this many calls wait for a lock. */
const whenBlocked = (database: TestDatabase, count: number): Promise<void> =>
  database.whenCounted(blocked.replace("count(*)::int", `least(count(*), ${count})::int`), count);

test("calls that wait for a lock are refused, and leave nothing in the database", async () => {
  const { database, store, message, aside } = await lockedMessage(2_000);
  const cancel = () => store.cancelMessage({ ...refTo(message), waitMs: 0 });
  const refused = await Promise.allSettled(Array.from({ length: 12 }, cancel));
  for (const call of refused) {
    expect(call).toMatchObject({ status: "rejected", reason: expect.any(StoreUnavailable) });
  }
  // The lock is still held, but no call waits for it any more.
  await database.whenCounted(blocked, 0);
  await aside.query("COMMIT");
  expect(await store.getMessage(refTo(message))).toMatchObject({ state: "SCHEDULED" });
  expect(await cancel()).toMatchObject({ kind: "changed" });
}, 60_000);

test("while callers wait for a lock, the node stays alive, delivers and serves other accounts", async () => {
  const { database, store, targetKey, message, aside } = await lockedMessage(60_000);
  const holder = await store.join("one", "all");
  let refusedCount = 0;
  const waiting = Array.from({ length: 30 }, () =>
    store.cancelMessage({ ...refTo(message), waitMs: 0 }).catch(() => refusedCount++),
  );
  await whenBlocked(database, 3);

  expect(await store.renew(holder)).toBe(true);
  const due = await schedule(store, "t", past);
  const { claims } = await store.claimDue(holder, [{ targetKey, limit: 1 }]);
  expect(claims).toMatchObject([{ messageId: due.messageId }]);
  await store.recordAttempts(holder, [resultOf(claims[0]!, { kind: "delivered" })]);
  const ofOther = { ...refTo(due), accountId: "acc_two" };
  expect(await store.getMessage(ofOther)).toBeUndefined();
  expect(await store.cancelMessage({ ...ofOther, waitMs: 0 })).toEqual({ kind: "not-found" });
  expect(refusedCount).toBe(0);
  await aside.query("COMMIT");
  await Promise.all(waiting);
}, 30_000);

test("while all callers' connections wait for locks, the node stays alive, delivers and can be watched", async () => {
  const { database, store, targetKey, message, aside, alsoLock } = await lockedMessage(60_000);
  const holder = await store.join("one", "all");
  const due = await schedule(store, "t", past);
  const two = { accountId: "acc_two" };
  await makeTarget(store, "t", two);
  const { messageId } = await schedule(store, "t", farFuture, two);
  await alsoLock(messageId);
  const waiting = [refTo(message), { ...two, messageId }].flatMap((ref) =>
    Array.from({ length: 10 }, () => store.cancelMessage({ ...ref, waitMs: 0 })),
  );
  await whenBlocked(database, 6);

  await store.ping();
  expect(await store.counts()).toEqual({ pending: 3 });
  expect(await store.renew(holder)).toBe(true);
  const { claims } = await store.claimDue(holder, [{ targetKey, limit: 1 }]);
  expect(claims).toMatchObject([{ messageId: due.messageId }]);
  await aside.query("COMMIT");
  await Promise.all(waiting);
}, 30_000);
