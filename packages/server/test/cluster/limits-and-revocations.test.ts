import { afterAll, beforeAll, expect, test } from "vitest";
import { preparedDatabases } from "../../src/storage/postgres/testing/prepared-databases.ts";
import type { Api } from "../support/api.ts";
import { startCluster } from "../support/cluster.ts";
import type { Cluster } from "../support/cluster.ts";
import { expectRefusal } from "../support/expectations.ts";
import { scheduleInParallel } from "../support/parallel-schedules.ts";

const makeDatabase = preparedDatabases();
const operatorKey = "pdo_operator_of_the_cluster";

/** Three nodes for all tests. Each test has its own account. */
let cluster: Cluster;
beforeAll(async () => {
  const env = { POSTDATE_OPERATOR_KEY: operatorKey };
  cluster = await startCluster((await makeDatabase()).url, 3, { env });
});
afterAll(() => cluster[Symbol.asyncDispose]());

/** An account, and calls to each node with its first key. */
async function makeAccount(limits: object) {
  const apis = cluster.nodes.map(({ api }) => api);
  const { body } = await apis[0]!("POST", "/v1/accounts", { key: operatorKey, body: limits });
  const as =
    (api: Api): Api =>
    (method, path, options) =>
      api(method, path, { key: body.key, ...options });
  return { accountId: body.accountId as string, apis, ofAccount: apis.map(as) };
}

test("three nodes accept exactly as many of a thousand concurrent messages as the limit allows", async () => {
  const { ofAccount } = await makeAccount({ monthlyMessageLimit: 500 });
  const body = { targetId: "t", url: cluster.receiver.url };
  expect((await ofAccount[0]!("POST", "/v1/targets", { body })).status).toBe(200);
  expect((await scheduleInParallel(ofAccount, 1_000)).size).toBe(500);
  for (const api of ofAccount) {
    const usage = await api("GET", "/v1/usage");
    expect(usage.body).toMatchObject({ used: 500, limit: 500, remaining: 0 });
  }
});

test("a request limit holds for three nodes together", async () => {
  const { ofAccount } = await makeAccount({
    requestLimit: { max: 50, intervalMs: 3_600_000 },
  });
  const calls = Array.from({ length: 150 }, (_, place) =>
    ofAccount[place % 3]!("GET", "/v1/usage"),
  );
  const answers = await Promise.all(calls);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(50);
  for (const answer of answers) {
    if (answer.status !== 200) expectRefusal(answer, 429, { code: "E-DI-2003" });
  }
});

test("a credential revoked or suspended at one node is refused at every node after the answer", async () => {
  const { apis, accountId, ofAccount } = await makeAccount({});
  const scopes = ["scheduler.all.read"];
  const made = await ofAccount[0]!("POST", "/v1/keys", { body: { name: "short", scopes } });
  const withKey = (key?: string) =>
    Promise.all(ofAccount.map((api) => api("GET", "/v1/targets", key ? { key } : {})));
  const statuses = async (key?: string) => (await withKey(key)).map(({ status }) => status);
  expect(await statuses(made.body.key)).toEqual([200, 200, 200]);
  await ofAccount[1]!("DELETE", `/v1/keys/${made.body.keyId}`);
  expect(await statuses(made.body.key)).toEqual([401, 401, 401]);

  const manage = (verb: string) =>
    apis[2]!("POST", `/v1/accounts/${accountId}/${verb}`, { key: operatorKey });
  expect(await statuses()).toEqual([200, 200, 200]);
  expect((await manage("suspend")).status).toBe(200);
  expect(await statuses()).toEqual([403, 403, 403]);
  expect((await manage("resume")).status).toBe(200);
  expect(await statuses()).toEqual([200, 200, 200]);
});
