import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mostSessionsOfKey } from "../../domain/session.ts";
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
import {
  changeEndpoint,
  createEndpoint,
  everything,
  moveAll,
  newWebhook,
  removeEndpoint,
} from "../conformance/events/event-harness.ts";
import {
  advance,
  advanceUntil,
  create,
  joinAndTake,
  makeDead,
  newJob,
  refOf,
  start,
  startNote,
  stop,
} from "../conformance/jobs/job-harness.ts";
import type { Asked } from "../conformance/jobs/job-harness.ts";
import {
  every,
  hourly,
  refOf as refOfSchedule,
} from "../conformance/schedules/schedule-harness.ts";
import { beginRotation, sealedPlaces } from "../../domain/key-rotation.ts";
import type { Store } from "../store.ts";
import { beforeEveryKey } from "./rows/message-rows.ts";
import type { Query } from "./connections/connections.ts";
import { openPostgresStore } from "./open-postgres-store.ts";
import { plannerSettings } from "./connections/session-settings.ts";
import { testDatabases } from "./testing/test-databases.ts";
import type { TestDatabase } from "./testing/test-databases.ts";

/**
 * A statement is planned once for each connection, perhaps while the database is still empty. It
 * must not read whole tables once the database fills.
 */
const makeDatabase = testDatabases();
const texts = new Map<string, string>();
let database: TestDatabase;

beforeAll(async () => {
  database = await makeDatabase();
  // Always called with its own client.
  // oxlint-disable-next-line typescript/unbound-method
  const plain = pg.Client.prototype.query as (...given: unknown[]) => unknown;
  pg.Client.prototype.query = function remember(this: pg.Client, ...given: unknown[]) {
    const { name, text } = given[0] as Partial<Query>;
    if (name) texts.set(name, text!);
    return plain.apply(this, given);
  } as typeof pg.Client.prototype.query;
  try {
    await useEveryVerb(database.url);
  } finally {
    pg.Client.prototype.query = plain as typeof pg.Client.prototype.query;
  }
}, 120_000);
afterAll(() => database.drop());

async function plansNow(prepare: string): Promise<Map<string, string[]>> {
  const plans = new Map<string, string[]>();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(prepare);
  await client.query(plannerSettings.join("; "));
  for (const [name, text] of texts) {
    const { rows } = await client.query<{ "QUERY PLAN": string }>(
      `EXPLAIN (GENERIC_PLAN, COSTS OFF) ${text}`,
    );
    plans.set(
      name,
      rows.map((row) => row["QUERY PLAN"]),
    );
  }
  await client.end();
  return plans;
}

async function useEveryVerb(databaseUrl: string): Promise<void> {
  const store = await openPostgresStore({
    databaseUrl,
    retentionMs: 3_600_000,
    idempotencyRetentionMs: 3_600_000,
    monthlyMessageLimit: null,
    leaseMs: 60_000,
  });
  await store.ensureAccount(account, "One");
  const { targetKey } = await makeTarget(store, "t");
  const holder = await store.join("node", "all");
  const message = await schedule(store, "t", past);
  await schedule(store, "t", { delayMs: 3_600_000 });
  await schedule(store, "t", past, { idempotency: { key: "k", fingerprint: "f" } });
  await store.upcoming({ after: null, until: past, limit: 10 });
  await store.upcomingByTarget({ after: null, until: past, limit: 10 });
  const { claims } = await store.claimDue(holder, [{ targetKey, limit: 5 }]);
  await store.recordAttempts(holder, [resultOf(claims[0]!, { kind: "delivered" })]);
  await store.cancelMessage({ ...refTo(claims[1]!), waitMs: 1 });
  await store.releaseClaims(holder, [claims[1]!.messageId]);
  await store.getMessage(refTo(message));
  await store.listAttempts(refTo(message));
  await store.cancelMessage({ ...refTo(claims[1]!), waitMs: 0 });
  const page = { accountId: account, targetId: "t", minTime: null, maxTime: null, after: null };
  await store.listScheduledMessages({ ...page, limit: 5 });
  await store.listDeadLetters({ ...page, limit: 5 });
  await useKeys(store);
  const { claims: keyed } = await store.claimDue(holder, [{ targetKey, limit: 5 }]);
  const results = keyed.map((claim) => resultOf(claim, { kind: "delivered" }));
  await store.recordAttempts(holder, results);
  await search(store);
  await useJobs(store, targetKey);
  await useSchedules(store, databaseUrl);
  await useStats(store, targetKey);
  await useEvents(store, targetKey);
  await store.removeExpired(10);
  await store.endLapsedMemberships();
  await useEncryption(store);
  await useAccess(store);
  await store.close();
}

async function useEvents(store: Store, targetKey: number): Promise<void> {
  const ref = { accountId: account, endpointId: "hook" };
  await createEndpoint(store, newWebhook("hook"));
  await changeEndpoint(store, "hook", { filter: everything, paused: false });
  await store.getEndpoint(ref);
  await store.updateTarget(
    { accountId: account, targetId: "t" },
    { failingAfter: null },
    null,
    note(),
  );
  await makeDead(store, targetKey, 2);
  await moveAll(store);
  const message = await schedule(store, "t", past);
  const holder = await store.join("node", "all");
  const { claims } = await store.claimDue(holder, [{ targetKey, limit: 9 }]);
  const own = claims.find(({ messageId }) => messageId === message.messageId)!;
  await store.recordAttempts(holder, [resultOf(own, { kind: "delivered" })]);
  await makeTarget(store, "told");
  await store.removeTarget({ accountId: account, targetId: "told" }, note());
  await moveAll(store);
  await store.readEvents(account, { after: 0, limit: 5 });
  await store.marksAt(account, [1, 2]);
  await store.findPosition(account, 1);
  await store.logSpans([account]);
  await store.takeWebhooks(holder, 5);
  const { updateTime } = (await store.getEndpoint(ref))!;
  const webhook = { holder, endpointId: ref.endpointId, revision: 2, updateTime };
  await store.readEvents(account, { after: 0, limit: 5, webhook });
  const gone = { kind: "gone", batchEnd: 1, statusCode: 410 } as const;
  await store.recordBatch(holder, ref, 2, gone);
  await store.removeOldEvents(5);
  const others = claims.filter((claim) => claim !== own);
  await store.releaseClaims(
    holder,
    others.map(({ messageId }) => messageId),
  );
  await removeEndpoint(store, "hook");
}

async function useStats(store: Store, targetKey: number): Promise<void> {
  const walk = { accountId: account, targetId: null, after: null };
  for (const list of ["scheduled", "dead-letters"] as const) {
    await store.countMessages({ ...walk, list, edges: [0, past, farFuture] });
  }
  await store.groupDeadLetters({ ...walk, mostOfOne: 5 });
  for (const after of [null, "0"]) await store.countOverdue({ until: past, after, mostOfOne: 5 });
  await store.walkSchedules(walk);
  await store.walkSchedules({ ...walk, targetId: "t" });
  const targets = [{ targetKey, mostDue: 5 }];
  await store.lookAtTargets({ ...walk, targets, mostDead: 5, dueUntil: past, activeFrom: 0 });
  await store.countInFlight([targetKey]);
  const span = "minute";
  await store.addActivity([{ accountId: account, targetKey, span, time: 0, counts: [1] }]);
  await store.readActivity({ ...walk, span, from: 0, until: 1 });
}

async function useKeys(store: Store): Promise<void> {
  const keyed = (deliveryTime: number) =>
    schedule(store, "t", deliveryTime, {
      options: { key: "k", labels: { a: "1" } },
      wantedKey: { key: "k", onConflict: "replace", maxWaitMs: null },
    });
  const first = await keyed(past);
  await keyed(past);
  await store.cancelMessage({ ...refTo(first), waitMs: 0 });
  await keyed(past);
}

async function search(store: Store): Promise<void> {
  await schedule(store, "t", past, { options: { labels: { a: "1", b: "2" } } });
  const idTimes = { from: null, until: null };
  const span = { minTime: null, maxTime: null, idTimes, after: null, limit: 5 };
  for (const order of ["newest", "oldest"] as const) {
    for (const labels of [[], ["a:1", "b:2"], ["a:1", ":k"]]) {
      const filters = { states: ["SCHEDULED"], targetId: "t", labels, order } as const;
      await store.findMessages({ accountId: account, ...filters, ...span });
    }
  }
}

async function useJobs(store: Store, targetKey: number): Promise<void> {
  const dead = { options: { key: "of-dead", labels: { a: "1" } } };
  await makeDead(store, targetKey, 1, () => dead);
  const bound = { notAfterMs: 3_600_000 };
  const labelled = { targetId: null, labels: ["a:1"] };
  const orders: Asked[] = [
    { action: "redrive", filter: { lastStatusCode: 204 } },
    { action: "redrive", filter: labelled },
    { action: "reschedule", deliveryTime: farFuture },
    { action: "shift", byMs: 1_000 },
    { action: "shift", byMs: -1_000, filter: labelled },
    { removesTarget: true, filter: { targetId: "removed" } },
  ];
  await makeTarget(store, "removed");
  for (const order of orders) {
    await schedule(store, "t", farFuture, { options: bound });
    const { jobId: _, actor: __, ...asked } = newJob(order);
    await store.lookForJob({ order: asked, time: 1, after: null, sample: 1 });
    const idempotency = { key: `job ${order.action}`, fingerprint: "f" };
    const job = newJob(order);
    await store.createJob(job, idempotency, startNote(job));
    // Finds the first in its way.
    await create(store, order);
    const holder = await joinAndTake(store);
    await advance(store, holder, job);
    await stop(store, job);
    await store.getJob(refOf(job));
  }
  await store.listJobs(account, { after: null, limit: 5 });
  await useSecondTurns(store, targetKey);
}

/** A redrive whose message is watched, and a shift of a message that is in flight. */
async function useSecondTurns(store: Store, targetKey: number): Promise<void> {
  await schedule(store, "t", past);
  const holder = await store.join("node", "all");
  await store.claimDue(holder, [{ targetKey, limit: 10 }]);
  const job = await start(store, { action: "shift", byMs: 1, filter: { maxTime: farFuture - 1 } });
  await store.takeJobs(holder, 10);
  await advanceUntil(store, holder, job, () => texts.has("find-second-turns"));
  await stop(store, job);
  await makeDead(store, targetKey, 1);
  const redrive = await start(store, { action: "redrive" });
  const next = await joinAndTake(store);
  await advanceUntil(store, next, redrive, () => texts.has("find-outcomes"));
  await stop(store, redrive);
}

async function useSchedules(store: Store, databaseUrl: string): Promise<void> {
  const holder = await store.join("node", "all");
  await store.ensureAccount("acc_new", "New in this month");
  await makeTarget(store, "t", { accountId: "acc_new" });
  const create = (scheduleId: string, definition = hourly(), accountId = account) =>
    store.createSchedule({ accountId, scheduleId, definition }, note());
  const often = { message: { notAfterMs: 60_000, labels: { a: "1" } }, pauseAfterDeadLetters: 1 };
  await create("new", every(1_000, often), "acc_new");
  for (const overlap of ["allow", "skip", "replace"] as const) {
    await create(overlap, every(1_000, { ...often, overlap }));
  }
  const list = { accountId: account, after: null, limit: 5 };
  for (const targetId of [null, "t"]) {
    for (const paused of [null, true]) await store.listSchedules({ ...list, targetId, paused });
  }
  await store.listRuns({ ...refOfSchedule("allow"), before: null, limit: 5 });
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query("UPDATE schedule_states SET look_time = 0");
  await client.end();
  await store.advanceSchedules(holder, 2);
  while (!texts.has("lock-earlier-runs")) await store.advanceSchedules(holder, 9);
  while (!texts.has("write-judged-runs")) await store.judgeRuns(holder, 9);
  const [run] = (await store.listRuns({ ...refOfSchedule("allow"), before: null, limit: 1 }))!;
  const moving = { accountId: account, messageId: run!.messageId!, waitMs: 0 };
  await store.rescheduleMessage({ ...moving, deliveryTime: farFuture });
  for (const kind of ["trigger", "pause", "resume"] as const) {
    const change = { kind, note: null, until: null };
    await store.changeSchedule(refOfSchedule("allow"), change, note());
  }
  await store.removeSchedule(refOfSchedule("allow"), note());
}

async function useEncryption(store: Store): Promise<void> {
  const readable = ["key_1", "key_2"];
  for (const [index, keyId] of readable.entries()) {
    await store.useEncryptionKey({ nodeId: "node", keyId, readable, firstKeyId: "key_1" });
    const rotation = beginRotation("key_2", 1);
    const rewrite = { place: sealedPlaces[index]!, values: [] };
    await store.advanceRotation({ revision: index, rotation, rewrite, retire: null, note: null });
  }
  for (const [index, place] of sealedPlaces.entries()) {
    await store.readSealed(place, null);
    const at = { messages: beforeEveryKey, signingKeys: "a" }[place as string] ?? "1/1";
    const values = [
      { at: place.startsWith("endpoint") ? at : at.split("/")[0]!, sealed: "a", anew: "b" },
    ];
    await store.advanceRotation({
      revision: index + 2,
      rotation: beginRotation("key_2", 1),
      rewrite: { place, values },
      retire: index === 0 ? { check: "" } : null,
      note: null,
    });
  }
}

async function useAccess(store: Store): Promise<void> {
  const key = { accountId: account, keyId: "k", name: "", scopes: [], hash: "h" };
  const client = { ...key, clientId: "c", secretHash: "s" };
  const all = { after: null, limit: 5 };
  await store.createAccount({ accountId: "acc_gone", name: "" }, { ...key, hash: "g" }, [note()]);
  await store.getAccount(account);
  await store.listAccounts(all);
  await store.createKey(key, note());
  await store.findKey("h");
  await store.listKeys(account);
  const session = { accountId: account, keyHash: "h", lifetimeMs: 1_000 };
  for (let index = 0; index <= mostSessionsOfKey; index++) {
    await store.createSession({ ...session, hash: `s${index}` }, note());
  }
  await store.findSession("s1");
  await store.endSession(account, "s2", note());
  await store.replaceKey(key, note());
  await store.revokeKey(account, "k", note());
  await store.createClient(client, note());
  await store.findClient("c");
  await store.getClient(account, "c");
  await store.listClients(account);
  await store.rotateClientSecret({ ...client, overlapMs: 1 }, note());
  await store.revokeToken(account, "token", 1);
  await store.findTokenHolder({ accountId: account, clientId: "c", tokenId: "token" });
  await store.removeClient(account, "c", note());
  await store.addSigningKey({ keyId: "k", publicKey: "", sealedPrivateKey: "" }, null, note());
  await store.removeSigningKey("k", note());
  const range = { minTime: null, maxTime: null };
  await store.listAuditEntries({ accountId: account, ...range, ...all });
  await store.listAuditEntries({ accountId: null, ...range, ...all });
  await store.takeRequests([{ accountId: account, limit: { max: 1, intervalMs: 1_000 } }]);
  const changed = { state: "SUSPENDED", monthlyMessageLimit: 5 } as const;
  await store.updateAccount("acc_gone", changed, note());
  await store.removeAccount("acc_gone", note());
  await store.removeExpired(10);
}

const tables = [
  ...["messages", "attempts", "claims", "targets", "target_turns", "usage_shares"],
  ...["idempotency_keys", "waiting_changes", "accounts", "access_keys", "clients", "sessions"],
  ...["revoked_tokens", "audit_entries", "request_buckets", "message_labels", "message_keys"],
  ...["jobs", "job_messages", "schedules", "schedule_states", "schedule_counts", "schedule_runs"],
  ...["moved_runs", "activity", "event_endpoints", "account_events", "target_events"],
  ...["event_outbox", "event_logs", "event_bundles", "target_health"],
];
const growing = `(?:${tables.join("|")})`;
const wholeTable = new RegExp(`(?:Seq|Bitmap Heap) Scan on ${growing}\\b`);
const indexScan = new RegExp(`Index (?:Only )?Scan using \\w+ on ${growing}\\b`);

/** These look at every claim once per renewal. The number of claims in flight is bounded. */
const allClaims = new Set(["void-dead-claims", "void-lost-claims", "end-earlier-memberships"]);
/** These ask for the first entry of an index, whatever its key. */
const firstOfIndex = new Set([
  ...["next-expiry", "find-accounts-to-empty", "empty-ended-jobs", "look-at-schedules"],
  "find-oldest-log",
]);

const many = `
  INSERT INTO messages SELECT gen_random_uuid(), account_id, target_key, state, version,
    scheduling_time, original_delivery_time, 1000 + g, last_delivery_time, NULL, NULL, NULL,
    delivery_failure_count, attempt_count, attempts_this_round, planning_time, payload
  FROM messages, generate_series(1, 2000) AS g;
  INSERT INTO message_labels SELECT account_id, 'a:' || state, message_id FROM messages
    ON CONFLICT DO NOTHING;
  INSERT INTO message_keys SELECT target_key, message_id::text, message_id FROM messages;
  INSERT INTO claims SELECT target_key, message_id, 7 FROM messages LIMIT 300;
  INSERT INTO attempts SELECT message_id, 1, 1, 1, 0 FROM messages ON CONFLICT DO NOTHING;
  INSERT INTO targets (account_id, target_id, kind, sealed_settings, sealed_secrets, retry_policy,
      max_concurrency, paused, creation_time, update_time, revision)
    SELECT account_id, target_id || g, kind, '', '', retry_policy, 1, false, 0, 0, 1
    FROM targets, generate_series(1, 300) AS g;
  INSERT INTO target_turns SELECT target_key FROM targets ON CONFLICT DO NOTHING;
  INSERT INTO idempotency_keys SELECT account_id, key || g, '', message_id, '', 0, 0, 0
    FROM idempotency_keys, generate_series(1, 300) AS g;
  INSERT INTO usage_shares SELECT month, account_id || g, share, 0 FROM usage_shares,
    generate_series(1, 300) AS g;
  INSERT INTO accounts (account_id, name, creation_time) SELECT 'acc' || g, '', 0
    FROM generate_series(1, 300) AS g;
  INSERT INTO access_keys SELECT account_id, 'k', '', '[]', account_id, 0 FROM accounts;
  INSERT INTO sessions SELECT account_id, account_id, 'k', '[]', 0, 0 FROM accounts;
  INSERT INTO clients (client_id, account_id, name, scopes, secret_hash, creation_time, secret_time)
    SELECT account_id, account_id, '', '[]', '', 0, 0 FROM accounts;
  INSERT INTO revoked_tokens SELECT account_id, 0 FROM accounts;
  INSERT INTO audit_entries SELECT 'e' || g, g, account_id, '', '', '', '', '', '{}'
    FROM accounts, generate_series(1, 3) AS g ON CONFLICT DO NOTHING;
  INSERT INTO request_buckets SELECT account_id, 0 FROM accounts ON CONFLICT DO NOTHING;
  INSERT INTO jobs (account_id, job_id, running, job)
    SELECT account_id, 'job' || g, g % 2 = 0, '{}' FROM accounts, generate_series(1, 3) AS g;
  INSERT INTO job_messages SELECT 'acc1', 'job1', message_id, 0 FROM messages;
  INSERT INTO schedules (account_id, schedule_id, target_id, paused, payload)
    SELECT account_id, 'schedule' || g, 't', g % 2 = 0, '' FROM accounts, generate_series(1, 9) AS g;
  INSERT INTO schedule_states SELECT schedule_key, account_id, schedule_key, '{}' FROM schedules
    ON CONFLICT DO NOTHING;
  INSERT INTO schedule_counts SELECT account_id, 9 FROM accounts ON CONFLICT DO NOTHING;
  INSERT INTO schedule_runs SELECT schedule_key, g, 0, 0, NULL, NULL, g, g
    FROM schedules, generate_series(1, 9) AS g;
  INSERT INTO moved_runs SELECT message_id, 1, 1, 0, 1 FROM messages;
  INSERT INTO activity SELECT account_id, g, 0, g, '{1}' FROM accounts, generate_series(1, 9) AS g
    ON CONFLICT DO NOTHING;
  INSERT INTO event_endpoints SELECT account_id, 'e' || g, 'webhook', '{}', '', '', 1, g % 2 = 0,
    NULL, 0, 0, 1, 0, NULL, g FROM accounts, generate_series(1, 3) AS g ON CONFLICT DO NOTHING;
  INSERT INTO account_events SELECT account_id, 1 FROM accounts ON CONFLICT DO NOTHING;
  INSERT INTO target_events SELECT target_key, 1 FROM targets ON CONFLICT DO NOTHING;
  INSERT INTO event_outbox (types, time, target_key) SELECT 0, 0, target_key FROM targets;
  INSERT INTO event_logs SELECT account_id, 9, 0, 0, 0 FROM accounts ON CONFLICT DO NOTHING;
  INSERT INTO event_bundles SELECT account_id, g, g, 0, '', '[0,0,null,{}]'
    FROM accounts, generate_series(1, 9) AS g ON CONFLICT DO NOTHING;
  INSERT INTO target_health SELECT target_key, 1, 0, false FROM targets ON CONFLICT DO NOTHING;
  INSERT INTO waiting_changes (message_id, answer) SELECT message_id, '' FROM messages LIMIT 300;
  ANALYZE`;

describe.each([
  { state: "that is new", prepare: "SELECT 1" },
  { state: "that has filled", prepare: many },
])("on a database $state", ({ prepare }) => {
  let plans = new Map<string, string[]>();
  beforeAll(async () => {
    plans = await plansNow(prepare);
  });

  test("no statement reads a whole table", () => {
    expect(plans.size).toBeGreaterThan(20);
    for (const [name, lines] of plans) {
      if (allClaims.has(name)) continue;
      expect([name, lines.find((line) => wholeTable.test(line))]).toEqual([name, undefined]);
    }
  });

  test("every statement enters an index by a key", () => {
    const withoutKey = [...plans].flatMap(([name, lines]) =>
      allClaims.has(name) || firstOfIndex.has(name)
        ? []
        : lines.flatMap((line, index) =>
            indexScan.test(line) && !/Index Cond/.test(lines[index + 1] ?? "")
              ? [`${name}: ${line.trim()}`]
              : [],
          ),
    );
    expect(withoutKey).toEqual([]);
  });

  test("what schedules and records tests once whether anybody is told, before it reads anything", () => {
    const names = [
      ...["schedule-messages", "schedule-messages-with-delays", "schedule-with-idempotency"],
      ...["schedule-with-options", "schedule-messages-with-options", "insert-messages"],
      ...["record-attempts", "record-rare-attempts"],
    ];
    for (const name of names) {
      const lines = plans.get(name)!;
      const told = lines.findIndex((line) => line.includes("Insert on event_outbox"));
      const below = (node: number): number => {
        const depth = lines[node]!.indexOf("->") + 6;
        return lines.findIndex((line, index) => index > node && line.indexOf("->") === depth);
      };
      let first = below(told);
      // New messages of a statement are gathered into one row.
      while (/Aggregate|Subquery Scan/.test(lines[first]!)) first = below(first);
      expect([name, lines[first]?.trim(), lines[first + 1]?.trim()]).toEqual([
        name,
        "->  Result",
        expect.stringContaining("One-Time Filter:"),
      ]);
    }
  });

  test("a search goes by the order of keys and sorts no more than a page", () => {
    const names = ["newest", "oldest"].flatMap((order) => [
      `find-${order}-messages`,
      `find-${order}-labelled`,
    ]);
    for (const name of names) {
      const lines = plans.get(name)!;
      expect(lines.filter((line) => line.endsWith("Sort"))).toHaveLength(1);
      expect(lines.slice(0, 2).join()).toMatch(/Sort/);
    }
  });

  test("a job walks in the order of an index, from where it is, and sorts nothing", () => {
    const walks = [
      "walk-scheduled",
      "walk-scheduled-backwards",
      "walk-dead-letters",
      "walk-labelled",
    ];
    for (const name of walks) {
      const lines = plans.get(name)!;
      expect([name, lines.filter((line) => /Sort|Hash|Materialize/.test(line))]).toEqual([
        name,
        [],
      ]);
      const walked = lines.findIndex((line) =>
        /using messages_(?:scheduled|dead)|using message_labels/.test(line),
      );
      expect(lines[walked + 1]).toMatch(/ROW\(\w+_time, message_id\) [<>]|message_id > \$6/);
    }
  });

  test("statistics walk through a target's list in the order of its index, and sort nothing", () => {
    for (const name of ["count-scheduled", "count-dead-letters", "group-dead-letters"]) {
      const lines = plans.get(name)!;
      const walked = lines.findIndex((line) => /using messages_(?:scheduled|dead)/.test(line));
      expect([name, lines[walked + 1]]).toEqual([
        name,
        expect.stringMatching(/target_key = .*ROW\((?:m\.)?\w+_time, (?:m\.)?message_id\) [<>]/),
      ]);
      expect([name, lines.filter((line) => line.endsWith("Sort"))]).toEqual([name, []]);
    }
  });

  test("a message is found by its id through the index of ids", () => {
    const astray = [...plans].flatMap(([name, lines]) =>
      lines.flatMap((line, index) =>
        /Index Cond: \(message_id =/.test(line) &&
        /using messages_(?!pkey)/.test(lines[index - 1] ?? "")
          ? [`${name}: ${lines[index - 1]!.trim()}`]
          : [],
      ),
    );
    expect(astray).toEqual([]);
  });
});
