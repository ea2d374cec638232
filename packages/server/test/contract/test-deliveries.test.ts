import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { preparedDatabases } from "../../src/storage/postgres/testing/prepared-databases.ts";
import type { Api, ApiAnswer } from "../support/api.ts";
import { startClusterOfOne } from "../support/cluster-of-one.ts";
import { addClusterTarget, startCluster } from "../support/cluster.ts";
import type { Cluster } from "../support/cluster.ts";
import { expectRefusal } from "../support/expectations.ts";
import { firstOf } from "./support/first-of.ts";
import { operatorKey } from "../support/server-process.ts";
import { startReceiver } from "../support/receiver.ts";
import type { Answer, Receiver } from "../support/receiver.ts";
import { patiently } from "../support/shared-service.ts";

const makeDatabase = preparedDatabases();
const hour = 3_600_000;
const due = "2020-01-01T00:00:00Z";
const never: Answer = () => {};
const limited = { code: "E-DI-2003" };
const overQuota = { code: "E-DI-5005" };

const env = { POSTDATE_OPERATOR_KEY: operatorKey };
const grounds = {
  "the embedded store": () => startClusterOfOne([], env),
  "two nodes on PostgreSQL": async () => startCluster((await makeDatabase()).url, 2, { env }),
};

describe.each(Object.entries(grounds))("%s", (_name, start) => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await start();
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  /** Each test has its own account with the target `t`, and its own receiver. */
  let key: string;
  let receiver: Receiver;
  let apis: Api[];
  let api: Api;
  const begin = async (settings: object = {}): Promise<void> => {
    receiver = await startReceiver();
    const operator = { key: operatorKey, body: settings };
    key = (await cluster.nodes[0]!.api("POST", "/v1/accounts", operator)).body.key;
    apis = cluster.nodes.map(
      (node) => (method, path, options) => node.api(method, path, { key, ...options }),
    );
    api = apis[0]!;
    await addClusterTarget(api, receiver);
  };
  afterEach(() => receiver.close());

  const ok = async (method: string, path: string, body?: unknown): Promise<ApiAnswer> => {
    const answer = await api(method, path, body === undefined ? {} : { body });
    expect(answer.status, answer.text).toBe(200);
    return answer;
  };
  const limit = (targetId: string, change: object): Promise<ApiAnswer> =>
    ok("PATCH", `/v1/targets/${targetId}`, change);
  const testT = (through: Api = api): Promise<ApiAnswer> => through("POST", "/v1/targets/t/test");
  const schedule = async (targetId: string): Promise<string> =>
    (await ok("POST", "/v1/messages", { targetId, deliveryTime: due, payload: "hello" })).body
      .messageId;
  /** Waits until a message that was scheduled later, for another target, is delivered. */
  const otherDelivery = async (): Promise<void> => {
    await ok("POST", "/v1/targets", { targetId: "other", url: `${receiver.url}/other` });
    await schedule("other");
    await receiver.received(1, ({ path }) => path === "/other");
  };
  const receiptsOfT = (): number => receiver.receipts.filter(({ path }) => path === "/").length;

  test("the monthly limit accepts as many concurrent tests as it has left, and no more", async () => {
    await begin({ monthlyMessageLimit: 2 });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => testT(apis[at % apis.length])),
    );
    const done = answers.filter(({ status }) => status === 200);
    expect(done.length).toBe(receiptsOfT());
    for (const answer of answers) {
      if (answer.status === 429) expectRefusal(answer, 429, limited);
      else if (answer.status !== 200) expectRefusal(answer, 400, overQuota);
    }
    while ((await testT()).status === 200);
    expect(receiptsOfT()).toBe(2);
    expectRefusal(await testT(), 400, overQuota);
    const scheduling = { targetId: "t", deliveryTime: due, payload: "hello" };
    expectRefusal(await api("POST", "/v1/messages", { body: scheduling }), 400, overQuota);
    expect((await ok("GET", "/v1/usage")).body).toMatchObject({ used: 2, remaining: 0 });
  });

  test("a test counts in the target's concurrency, and is refused with a delay at its limit", async () => {
    await begin();
    await limit("t", { maxConcurrency: 1 });
    const held: (() => void)[] = [];
    receiver.answerWith(({ path }, response) => {
      if (path === "/other") response.writeHead(204).end();
      else held.push(() => response.writeHead(204).end());
    });
    const first = testT();
    await receiver.received(1);
    for (const each of apis) {
      const answer = await testT(each);
      expectRefusal(answer, 429, limited);
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    }
    await schedule("t");
    await otherDelivery();
    expect(receiptsOfT()).toBe(1);
    held.shift()!();
    expect((await first).body.attempt).toMatchObject({ outcome: "DELIVERED" });
    // The message now has the slot.
    await receiver.received(2, ({ path }) => path === "/");
    expectRefusal(await testT(), 429, limited);
    held.shift()!();
  });

  test("a test counts in the target's rate, as a message does", async () => {
    await begin();
    await limit("t", { rateLimit: { max: 1, intervalMs: hour } });
    await ok("POST", "/v1/targets/t/test");
    for (const each of apis) {
      const answer = await testT(each);
      expectRefusal(answer, 429, limited);
      const seconds = Number(answer.headers.get("retry-after"));
      expect(seconds).toBeGreaterThan(3_000);
      expect(seconds).toBeLessThanOrEqual(3_600);
    }
    await schedule("t");
    await otherDelivery();
    expect(receiptsOfT()).toBe(1);
    expect((await ok("GET", "/v1/usage")).body.used).toBe(3);
  });

  test("only a few tests of one account run at once, whatever its targets allow", async () => {
    await begin();
    receiver.answerWith(never);
    const asked = Array.from({ length: 10 }, () => testT());
    for (const answer of await firstOf(asked, 6)) {
      expectRefusal(answer, 429, limited);
      expect(answer.headers.get("retry-after")).toBe("1");
    }
    await receiver.received(4);
    expect(receiptsOfT()).toBe(4);
  });

  test("a caller that hangs up ends its test and frees the target's slot", async () => {
    await begin();
    await limit("t", { maxConcurrency: 4 });
    receiver.answerWith(never);
    const url = `${cluster.nodes[0]!.server.url}/v1/targets/t/test`;
    const headers = { authorization: `Bearer ${key}` };
    const hangUp = new AbortController();
    const calls = Array.from({ length: 4 }, () =>
      fetch(url, { method: "POST", headers, signal: hangUp.signal }).catch(() => "hung up"),
    );
    await receiver.received(4);
    hangUp.abort();
    expect(await Promise.all(calls)).toEqual(Array(4).fill("hung up"));
    await expect
      .poll(() => receiver.receipts.filter(({ endedAt }) => endedAt !== null).length, patiently)
      .toBe(4);
    receiver.answerWith((_, response) => response.writeHead(204).end());
    await expect.poll(async () => (await testT()).status, patiently).toBe(200);
  });
});
