import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { isLive } from "../../../../domain/job.ts";
import {
  account,
  farFuture,
  hour,
  makeTarget,
  past,
  refTo,
  resultOf,
  schedule,
} from "../../../conformance/harness.ts";
import {
  advance,
  advanced,
  advanceUntil,
  expectWhole,
  makeDead,
  messagesOf,
  refOf,
  run,
  scheduleMany,
  start,
  stop,
} from "../../../conformance/jobs/job-harness.ts";
import type { Asked } from "../../../conformance/jobs/job-harness.ts";
import type { Holder, JobRef, Store } from "../../../store.ts";
import { rowKeyOf } from "../../rows/message-rows.ts";
import type { TestDatabase } from "../../testing/test-databases.ts";
import { testStores } from "../../testing/test-stores.ts";

const makeStores = testStores();

const blocked = `SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/** Two nodes on one database with the target "t". */
async function twoNodes() {
  const { database, open } = await makeStores();
  const [one, two] = [await open(), await open()];
  await one.ensureAccount(account, "One");
  const { targetKey } = await makeTarget(one, "t", { maxConcurrency: 1_000 });
  return { database, one, two, targetKey };
}

/** A job that the first of two nodes holds. */
async function heldJob(count: number, asked: Asked = {}) {
  const nodes = await twoNodes();
  const { one, two } = nodes;
  const messages = await scheduleMany(one, count);
  const job = await start(one, asked);
  const [holder, other] = [await one.join("one", "all"), await two.join("two", "all")];
  expect(await one.takeJobs(holder, 1)).toEqual([refOf(job)]);
  return { ...nodes, messages, job, holder, other };
}

/** A session that no store knows. */
async function aside(database: TestDatabase): Promise<pg.Client> {
  const client = new pg.Client(database.url);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** A step that has done everything but its last statement. It goes on once it is released. */
async function stepUnderWay(database: TestDatabase, store: Store, holder: Holder, job: JobRef) {
  const client = await aside(database);
  await client.query("BEGIN");
  // The last statement writes this table. The earlier ones only read it.
  await client.query("LOCK TABLE job_messages IN SHARE MODE");
  const ending = advance(store, holder, job);
  await database.whenCounted(blocked, 1);
  return { ending, release: () => client.query("COMMIT") };
}

const statesOf = async (store: Store, messages: Parameters<typeof messagesOf>[1]) => [
  ...new Set((await messagesOf(store, messages)).map(({ state }) => state)),
];

test("one of two nodes gets the job, and the steps of the other do nothing", async () => {
  const { one, two } = await twoNodes();
  const messages = await scheduleMany(one, 5);
  const job = await start(one);
  const nodes = await Promise.all(
    [one, two].map(async (store, index) => ({
      store,
      holder: await store.join(`${index}`, "all"),
    })),
  );
  const taken = await Promise.all(nodes.map(({ store, holder }) => store.takeJobs(holder, 5)));
  expect(taken.flat()).toEqual([refOf(job)]);
  const steps = await Promise.all(nodes.map(({ store, holder }) => advance(store, holder, job)));
  expect(steps.map(({ kind }) => kind).toSorted()).toEqual(["advanced", "not-held"]);
  expect(steps[taken[0]!.length === 1 ? 0 : 1]).toMatchObject({ job: { matched: 5, done: 5 } });
  expect(await statesOf(one, messages)).toEqual(["CANCELLED"]);
});

test("steps of one job at the same time change each message once", async () => {
  const { one, messages, job, holder } = await heldJob(300, { action: "shift", byMs: 1_000 });
  await Promise.all(Array.from({ length: 6 }, () => advance(one, holder, job)));
  const now = await one.getJob(refOf(job));
  if (isLive(now!.state)) await run(one, holder, job);
  expect(await one.getJob(refOf(job))).toMatchObject({ state: "DONE", matched: 300, done: 300 });
  for (const [index, { nextDeliveryTime }] of (await messagesOf(one, messages)).entries()) {
    expect(nextDeliveryTime).toBe(farFuture + index + 1_000);
  }
});

test("another node takes a job over once the lease of its holder has ended", async () => {
  const { database, one, two, messages, job, holder, other } = await heldJob(3);
  expect(await two.takeJobs(other, 1)).toEqual([]);
  const client = await aside(database);
  await client.query("DELETE FROM nodes WHERE epoch = $1", [holder.epoch]);
  expect(await advance(one, holder, job)).toEqual({ kind: "not-held" });
  expect(await two.takeJobs(other, 1)).toEqual([refOf(job)]);
  expect(await two.takeJobs(other, 1)).toEqual([refOf(job)]);
  expect(await run(two, other, job)).toMatchObject({ state: "DONE", done: 3 });
  expect(await statesOf(two, messages)).toEqual(["CANCELLED"]);
});

test("a stop waits for the step under way, and nothing changes after it", async () => {
  const { database, one, two, messages, job, holder } = await heldJob(250);
  const { ending, release } = await stepUnderWay(database, one, holder, job);
  let isStopped = false;
  const stopping = stop(two, job).finally(() => (isStopped = true));
  await database.whenCounted(blocked, 2);
  expect(isStopped).toBe(false);
  await release();
  expect(await ending).toMatchObject({ kind: "advanced", job: { done: 200 } });
  expect(await stopping).toMatchObject({ kind: "changed", job: { state: "STOPPED", done: 200 } });
  expect(await advance(one, holder, job)).toEqual({ kind: "not-held" });
  const states = (await messagesOf(one, messages)).map(({ state }) => state);
  expect(states.filter((state) => state === "CANCELLED")).toHaveLength(200);
});

test("a step whose membership ends meanwhile is undone, and nobody takes the job before that", async () => {
  const { database, one, two, messages, job, holder, other } = await heldJob(2);
  const { ending, release } = await stepUnderWay(database, one, holder, job);
  await two.endLapsedMemberships();
  const client = await aside(database);
  await client.query("DELETE FROM nodes WHERE epoch = $1", [holder.epoch]);
  await two.endLapsedMemberships();
  expect(await two.takeJobs(other, 1)).toEqual([]);
  await release();
  expect(await ending).toEqual({ kind: "not-held" });
  expect(await statesOf(one, messages)).toEqual(["SCHEDULED"]);
  expect(await two.takeJobs(other, 1)).toEqual([refOf(job)]);
  expect(await run(two, other, job)).toMatchObject({ matched: 2, done: 2 });
});

test("the suspension of an account waits for the step under way, and its removal ends the job", async () => {
  const { database, one, two, job, holder } = await heldJob(2);
  const note = { entryId: "e", actor: job.actor, requestId: null, accountId: account };
  const about = { subjectId: account, detail: {}, ...note };
  const { ending, release } = await stepUnderWay(database, one, holder, job);
  const suspending = two.updateAccount(
    account,
    { state: "SUSPENDED" },
    { ...about, action: "account.suspended" },
  );
  await database.whenCounted(blocked, 2);
  await release();
  expect(await ending).toMatchObject({ kind: "advanced" });
  expect(await suspending).toMatchObject({ state: "SUSPENDED" });
  const removal = { ...about, entryId: "f", action: "account.removed" } as const;
  expect(await two.removeAccount(account, removal)).toMatchObject({ kind: "removed" });
  expect(await advance(one, holder, job)).toEqual({ kind: "not-held" });
  expect(await one.getJob(refOf(job))).toBeUndefined();
  await one.removeExpired(100);
  await database.whenCounted("SELECT count(*)::int AS count FROM job_messages", 0);
});

test("a message that somebody has locked gets its second turn", async () => {
  const { database, one, messages, job, holder } = await heldJob(3);
  const client = await aside(database);
  await client.query("BEGIN");
  const lock = "SELECT 1 FROM messages WHERE message_id = $1 FOR UPDATE";
  await client.query(lock, [rowKeyOf(messages[1]!.messageId)]);
  const { job: half } = await advanced(one, holder, job);
  expect(half).toMatchObject({ matched: 3, done: 2, progress: { waiting: 1 } });
  await client.query("COMMIT");
  expect(await run(one, holder, job)).toMatchObject({ matched: 3, done: 3 });
});

test("calls for the same messages during a step wait for it, and meet what it has made of them", async () => {
  const { database, one, two, targetKey } = await twoNodes();
  const [holder, other] = [await one.join("one", "all"), await two.join("two", "all")];
  const key = "k";
  const wantedKey = { key, onConflict: "keep", maxWaitMs: null } as const;
  const keyed = await schedule(one, "t", farFuture, { options: { key }, wantedKey });
  const plain = await schedule(one, "t", farFuture);
  const due = await schedule(one, "t", past);
  const job = await start(one);
  await one.takeJobs(holder, 1);
  const { claims } = await two.claimDue(other, [{ targetKey, limit: 1 }]);
  const { ending, release } = await stepUnderWay(database, one, holder, job);
  const cancelling = two.cancelMessage({ ...refTo(plain), waitMs: 0 });
  const recording = two.recordAttempts(other, [
    resultOf(claims[0]!, { kind: "retry", delayMs: hour }),
  ]);
  const again = { options: { key }, wantedKey, payload: "again" };
  const scheduling = schedule(two, "t", farFuture, again);
  await database.whenCounted(blocked, 4);
  await release();
  expect(await ending).toMatchObject({ job: { matched: 3, done: 2, progress: { waiting: 1 } } });
  expect(await cancelling).toMatchObject({ kind: "refused", message: { state: "CANCELLED" } });
  expect(await recording).toMatchObject([{ kind: "recorded" }]);
  expect((await scheduling).messageId).not.toBe(keyed.messageId);
  expect(await run(one, holder, job)).toMatchObject({ matched: 3, done: 3 });
  expect(await statesOf(one, [keyed, plain, due])).toEqual(["CANCELLED"]);
});

test("redrives beside calls for the same keys and messages all come to an end", async () => {
  const { database, one, two, targetKey } = await twoNodes();
  const keys = Array.from({ length: 40 }, (_, index) => `k${String(index).padStart(2, "0")}`);
  const keyedBy = (key: string, onConflict: "reject" | "replace") => ({
    options: { key },
    wantedKey: { key, onConflict, maxWaitMs: null },
  });
  const dead = await makeDead(one, targetKey, 40, (index) => keyedBy(keys[index]!, "reject"));
  const job = await start(one, { action: "redrive" });
  const [holder, other] = [await one.join("one", "all"), await two.join("two", "all")];
  await one.takeJobs(holder, 1);
  const requests = keys.map((key) => ({
    ...{ accountId: account, targetId: "t", deliveryTime: past, payload: "" },
    ...{ idempotency: null, ...keyedBy(key, "replace") },
  }));
  const redriving = advanceUntil(one, holder, job, ({ state }) => !isLive(state));
  const claiming = async (): Promise<void> => {
    const { claims } = await two.claimDue(other, [{ targetKey, limit: 20 }]);
    const delivered = { kind: "delivered" } as const;
    await two.recordAttempts(
      other,
      claims.map((claim) => resultOf(claim, delivered)),
    );
  };
  await Promise.all([
    two.scheduleMessages(requests.toReversed()),
    two.scheduleMessages(requests),
    ...dead.map((each) => two.rescheduleMessage({ ...refTo(each), deliveryTime: past, waitMs: 0 })),
    ...Array.from({ length: 5 }, claiming),
    ...dead.map((each) => two.cancelMessage({ ...refTo(each), waitMs: 0 })),
  ]);
  expectWhole(await redriving);
  // Each key belongs to the one scheduled message that has it.
  const held = `SELECT count(*)::int AS count FROM message_keys k JOIN messages m USING (message_id)
    WHERE m.state = 0 AND m.options::json->>'key' = k.key`;
  const client = await aside(database);
  const countOf = async (sql: string) =>
    (await client.query<{ count: number }>(sql)).rows[0]!.count;
  const scheduled = await countOf("SELECT count(*)::int AS count FROM messages WHERE state = 0");
  expect(await countOf(held)).toBe(scheduled);
  expect(await countOf("SELECT count(*)::int AS count FROM message_keys")).toBe(scheduled);
});
