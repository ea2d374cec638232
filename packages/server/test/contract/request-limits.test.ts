import { describe, expect, test, vi } from "vitest";
import { preparedDatabases } from "../../src/storage/postgres/testing/prepared-databases.ts";
import type { Api, ApiAnswer } from "../support/api.ts";
import { startCluster } from "../support/cluster.ts";
import { expectRefusal } from "../support/expectations.ts";
import { rootKey } from "../support/server-process.ts";
import { services } from "../support/service.ts";
import { patiently } from "../support/shared-service.ts";

const startService = services();
const makeDatabase = preparedDatabases();
const operator = { key: "pdo_operator_of_the_limits" };
const env = { POSTDATE_OPERATOR_KEY: operator.key };

const statuses = (answers: readonly ApiAnswer[]) => answers.map(({ status }) => status);
const countOf = (answers: readonly ApiAnswer[], status: number) =>
  answers.filter((answer) => answer.status === status).length;
const inParallel = (apis: readonly Api[], count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, index) => apis[index % apis.length]!("GET", "/v1/keys")),
  );

describe("requests of an account", () => {
  test("are accepted up to the limit on one node", async () => {
    const { api } = await startService({ args: ["--request-limit", "20/20m"], env });

    // These calls have no account whose limit they could use: unknown keys, the operator, and health
    // checks.
    await inParallel([(method, path) => api(method, path, { key: "pd_unknown" })], 30);
    await api("GET", "/v1/accounts", operator);
    await api("GET", "/healthz");

    const first = await api("GET", "/v1/keys");
    expect(first.headers.get("ratelimit-policy")).toBe('"requests";q=20;w=1200');
    expect(first.headers.get("ratelimit")).toBe('"requests";r=19;t=60');
    const refusedForOtherReasons = [
      await api("GET", "/v1/messages/msg_none"),
      await api("GET", "/v1/keys?unknown=1"),
      await api("POST", "/v1/messages", { body: {} }),
      await api("POST", "/v1/keys", {
        body: { name: "weak", scopes: ["scheduler.messages.read"] },
      }),
    ];
    expect(statuses(refusedForOtherReasons)).toEqual([404, 400, 400, 200]);
    const weak = { key: refusedForOtherReasons[3]!.body.key as string };
    expectRefusal(await api("GET", "/v1/keys", weak), 403, { code: "E-DI-2002" });

    const rest = await inParallel([api], 60);
    expect([countOf(rest, 200), countOf(rest, 429)]).toEqual([14, 46]);
    const beyond = await api("GET", "/v1/keys");
    expectRefusal(beyond, 429, { code: "E-DI-2003" });
    expect(beyond.body.errors[0].message).toMatch(/Retry-After/);
    expect(Number(beyond.headers.get("retry-after"))).toBeGreaterThan(50);
    expect(Number(beyond.headers.get("retry-after"))).toBeLessThanOrEqual(60);
    expect(beyond.headers.get("ratelimit")).toMatch(/^"requests";r=0;t=\d+$/);
    // All keys of an account share its limit. The limit is checked before the scopes of a key.
    expectRefusal(await api("GET", "/v1/keys", weak), 429, { code: "E-DI-2003" });

    expect((await api("GET", "/metrics")).text).toMatch(/^postdate_requests_limited_total 48$/m);

    const change = (requestLimit: unknown) =>
      api("PATCH", "/v1/accounts/acc_default", { ...operator, body: { requestLimit } });
    expect((await change({ max: 1_000, intervalMs: 1_000 })).status).toBe(200);
    await vi.waitUntil(async () => (await api("GET", "/v1/keys")).status === 200, patiently);
    expect((await change(null)).status).toBe(200);
    const free = await api("GET", "/v1/keys");
    expect([free.status, free.headers.get("ratelimit")]).toEqual([200, null]);
  });

  test("are accepted again after Retry-After", async () => {
    const { api } = await startService({ args: ["--request-limit", "3/3s"] });
    const answers = await inParallel([api], 12);
    expect(countOf(answers, 200)).toBeGreaterThanOrEqual(3);
    expect(countOf(answers, 429)).toBeGreaterThan(0);
    await vi.waitUntil(async () => (await api("GET", "/v1/keys")).status === 200, patiently);
  });

  test("are accepted up to the limit on three nodes together", { timeout: 120_000 }, async () => {
    const args = ["--request-limit", "60/1h"];
    await using cluster = await startCluster((await makeDatabase()).url, 3, { args });
    const answers = await inParallel(
      cluster.nodes.map(({ api }) => api),
      240,
    );
    // One more request made the cluster's target.
    expect([countOf(answers, 200), countOf(answers, 429)]).toEqual([59, 181]);
    for (const { api } of cluster.nodes) {
      expectRefusal(await api("GET", "/v1/keys"), 429, { code: "E-DI-2003" });
    }
  });
});

describe("requests for tokens", () => {
  const ask = (api: Api, from: string, path = "/oauth/token") =>
    api("POST", path, {
      key: null,
      headers: { "content-type": "application/x-www-form-urlencoded", "x-forwarded-for": from },
      body: "grant_type=client_credentials&client_id=cli_none&client_secret=guess&token=x",
    });

  test("are accepted up to the limit from one address, whatever address it claims", async () => {
    const { api } = await startService({ args: ["--token-request-limit", "3/1h"] });
    const first = await ask(api, "192.0.2.1");
    expect(first.status).toBe(401);
    expect(first.headers.get("ratelimit-policy")).toBe('"token-requests";q=3;w=3600');
    const rest = [
      await ask(api, "192.0.2.2"),
      await ask(api, "192.0.2.3", "/oauth/revoke"),
      await ask(api, "192.0.2.4"),
      await ask(api, "192.0.2.5", "/oauth/revoke"),
    ];
    expect(statuses(rest)).toEqual([401, 401, 429, 429]);
    const beyond = rest[2]!;
    expect(beyond.body).toEqual({
      error: "temporarily_unavailable",
      error_description: expect.stringMatching(/\S+ \S+/),
    });
    expect(Number(beyond.headers.get("retry-after"))).toBeGreaterThan(1_100);
    expect((await api("GET", "/v1/keys", { key: rootKey })).status).toBe(200);
  });

  test("count by the caller's address that only a trusted proxy may report", async () => {
    const args = ["--token-request-limit", "1/1h", "--trust-proxy", "127.0.0.1"];
    const { api } = await startService({ args });
    const answers = [
      await ask(api, "192.0.2.1"),
      await ask(api, "192.0.2.2"),
      await ask(api, "192.0.2.1"),
      // The proxy appends the address it sees to the list it received.
      await ask(api, "203.0.113.9, 192.0.2.2"),
    ];
    expect(statuses(answers)).toEqual([401, 401, 429, 429]);
  });
});
