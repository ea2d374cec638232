import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { preparedDatabases } from "../../src/storage/postgres/testing/prepared-databases.ts";
import type { TestDatabase } from "../../src/storage/postgres/testing/test-databases.ts";
import type { Api, ApiAnswer } from "../support/api.ts";
import { startCluster } from "../support/cluster.ts";
import type { Cluster } from "../support/cluster.ts";
import { farAway, patiently } from "../support/shared-service.ts";

const makeDatabase = preparedDatabases();
const operatorKey = "pdo_operator_of_the_cluster";
let database: TestDatabase;
let cluster: Cluster;
beforeAll(async () => {
  database = await makeDatabase();
  const env = { POSTDATE_OPERATOR_KEY: operatorKey };
  cluster = await startCluster(database.url, 3, { env });
});
afterAll(() => cluster[Symbol.asyncDispose]());

const modes = ["reject", "keep", "replace", "replaceKeepTime", "debounce"];
const keys = ["a", "b", "c"];

interface Acknowledged {
  readonly payload: string;
  readonly messageId: string;
  readonly outcome: string;
}

/** The body of call number `n`. Its payload is its own. */
function draft(n: number) {
  const onConflict = modes[n % modes.length]!;
  const time =
    onConflict === "debounce"
      ? { debounce: { quietMs: 1 + (n % 40), maxWaitMs: 200 } }
      : { delayMs: (n * 7) % 60 };
  return { targetId: "t", payload: `payload-${n}`, key: keys[n % 3]!, onConflict, ...time };
}

async function countDeadlocks(): Promise<number> {
  const [row] = await rowsOf(
    "SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()",
  );
  return row!["deadlocks"] as number;
}

async function rowsOf(text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(database.url);
  await client.connect();
  try {
    return (await client.query(text)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}

/** Several scheduled messages with one key, and keys whose holder is not scheduled. There must be none. */
const brokenKeys = (): Promise<Record<string, unknown>[]> =>
  rowsOf(`
    SELECT m.target_key, m.options::json->>'key' AS key, count(*), count(k.message_id) AS held
    FROM messages m LEFT JOIN message_keys k ON k.message_id = m.message_id
    WHERE m.state = 0 AND m.options::json->>'key' IS NOT NULL
    GROUP BY 1, 2 HAVING count(*) <> 1 OR count(k.message_id) <> 1
    UNION ALL
    SELECT k.target_key, k.key, 0, 1 FROM message_keys k
    LEFT JOIN messages m ON m.message_id = k.message_id AND m.state = 0
    WHERE m.message_id IS NULL`);

test.each([
  { limits: {}, name: "far from its limit" },
  { limits: { monthlyMessageLimit: 450 }, name: "near its limit" },
])("an account $name keeps every promise about its keys", async ({ limits }) => {
  const { nodes, receiver } = cluster;
  const deadlocksBefore = await countDeadlocks();
  const { body: account } = await nodes[0]!.api("POST", "/v1/accounts", {
    key: operatorKey,
    body: limits,
  });
  const path = `/${account.accountId}`;
  const apis = nodes.map(
    ({ api }): Api =>
      (method, where, options) =>
        api(method, where, { key: account.key, ...options }),
  );
  await apis[0]!("POST", "/v1/targets", {
    body: {
      targetId: "t",
      url: receiver.url + path,
      retryPolicy: { maxAttempts: 50, backoff: { kind: "list", delaysMs: [30] } },
    },
  });
  // While it is scheduled, the target cannot be removed.
  await apis[0]!("POST", "/v1/messages", {
    body: { targetId: "t", deliveryTime: farAway, payload: "" },
  });
  let requests = 0;
  let allSucceed = false;
  receiver.answerWith((_, response) => {
    const isGood = allSucceed || ++requests % 3 === 0;
    response.writeHead(isGood ? 204 : 500).end();
  });

  const acknowledged: Acknowledged[] = [];
  const cancelled = new Set<string>();
  const note = (payload: string, outcome: string, messageId: string): void => {
    if (outcome !== "kept") acknowledged.push({ payload, outcome, messageId });
  };
  const expectAnswered = ({ status, text }: ApiAnswer): void => {
    expect(status, text).toBeLessThan(500);
  };

  /** Some calls are made at two nodes at once, as after a lost answer. */
  const schedule = async (n: number): Promise<void> => {
    const body = draft(n);
    const call = { body, headers: { "idempotency-key": `call-${n}` } };
    const chosen = n % 4 === 0 ? [n, n + 1] : [n];
    const answers = await Promise.all(
      chosen.map((node) => apis[node % 3]!("POST", "/v1/messages", call)),
    );
    for (const answer of answers) expectAnswered(answer);
    const [first, second] = answers.filter(({ status }) => status === 200);
    if (first === undefined) return;
    if (second !== undefined) expect(second.body).toEqual(first.body);
    note(body.payload, first.headers.get("postdate-key-outcome")!, first.body.messageId);
  };
  const scheduleBatch = async (n: number): Promise<void> => {
    const items = keys.map((_, index) => draft(n + index));
    const messages = items
      .map((item, index) => ({ ...item, idempotencyKey: `call-${n + index}` }))
      .toSorted(() => (n % 2 === 0 ? 1 : -1));
    const answer = await apis[n % 3]!("POST", "/v1/messages/batch", { body: { messages } });
    expectAnswered(answer);
    for (const [index, { message, keyOutcome }] of answer.body.results.entries()) {
      if (message !== undefined) note(messages[index]!.payload, keyOutcome, message.messageId);
    }
  };
  const change = async (n: number): Promise<void> => {
    const holder = `/v1/targets/t/keys/${keys[n % 3]}`;
    const api = apis[n % 3]!;
    if (n % 2 === 0) {
      const answer = await api("POST", `${holder}/cancel`);
      expectAnswered(answer);
      if (answer.status === 200) cancelled.add(answer.body.messageId);
    } else {
      const body = { delayMs: n % 50 };
      expectAnswered(await api("POST", `${holder}/reschedule`, { body }));
    }
  };

  const calls: Promise<void>[] = [];
  for (let n = 0; n < 200; n++) calls.push(schedule(n));
  for (let n = 200; n < 350; n += 3) calls.push(scheduleBatch(n));
  for (let n = 0; n < 60; n++) calls.push(change(n));
  calls.push(apis[0]!("DELETE", "/v1/targets/t").then((answer) => expect(answer.status).toBe(409)));
  const over = new AbortController();
  const watch = async (): Promise<void> => {
    while (!over.signal.aborted) expect(await brokenKeys()).toEqual([]);
  };
  await Promise.all([Promise.all(calls).finally(() => over.abort()), watch()]);

  allSucceed = true;
  await vi.waitFor(async () => {
    const { body } = await apis[0]!("GET", "/v1/targets/t/scheduled-messages");
    expect(body.count).toBe(1);
  }, patiently);
  expect(await brokenKeys()).toEqual([]);
  expect(await rowsOf("SELECT * FROM message_keys")).toEqual([]);
  expect(await countDeadlocks()).toBe(deadlocksBefore);

  const received = Map.groupBy(
    receiver.receipts.filter((receipt) => receipt.path === path),
    ({ messageId }) => messageId,
  );
  let replacedMessages = 0;
  const byMessage = Map.groupBy(acknowledged, ({ messageId }) => messageId);
  for (const [messageId, changes] of byMessage) {
    const { body: message } = await apis[0]!("GET", `/v1/messages/${messageId}`);
    const { body: content } = await apis[0]!("GET", `/v1/messages/${messageId}/payload`);
    const payloads = changes.map(({ payload }) => payload);
    expect(payloads).toContain(content.payload);
    const bodies = new Set((received.get(messageId) ?? []).map(({ body }) => String(body)));
    // Once a receiver may have seen it, its content does not change.
    for (const body of bodies) expect(body).toBe(content.payload);
    if (message.state === "DELIVERED") expect(bodies.size).toBe(1);
    else {
      expect(message.state).toBe("CANCELLED");
      if (message.cancellationReason === "REPLACED") replacedMessages++;
      else expect(cancelled).toContain(messageId);
    }
  }
  for (const messageId of received.keys()) expect([...byMessage.keys()]).toContain(messageId);
  // Each message was made once: for a free key, or in place of one that is on record as replaced.
  const made = acknowledged.filter(({ outcome }) => outcome === "created").length;
  expect(made + replacedMessages).toBe(byMessage.size);
  const used = (await apis[0]!("GET", "/v1/usage")).body.used;
  expect(used).toBe(acknowledged.length + 1);
});
