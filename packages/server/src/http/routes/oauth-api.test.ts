import { decodeJwt } from "jose";
import { beforeAll, expect, test, vi } from "vitest";
import { StoreUnavailable } from "../../operations/operations.ts";
import { basic, grant, oauthCalls } from "../testing/oauth-calls.ts";
import type { Post, TestClient } from "../testing/oauth-calls.ts";
import { sharedTestApi } from "../testing/shared-test-api.ts";

const api = sharedTestApi();
let client: TestClient;
const { makeClient, post, ask, reads } = oauthCalls(
  () => api,
  () => client,
);
beforeAll(async () => {
  client = await makeClient("scheduler.messages.readwrite", "scheduler.all.read");
});

test("a client gets a token with credentials in the header or in the body, and the token works for its account", async () => {
  for (const answer of [
    await ask(),
    await ask(
      { client_id: client.clientId, client_secret: client.clientSecret },
      { authorization: null },
    ),
  ]) {
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({ "cache-control": "no-store", pragma: "no-cache" });
    const body = answer.json<{ access_token: string }>();
    expect(body).toEqual({
      access_token: expect.any(String),
      token_type: "Bearer",
      expires_in: 3_600,
      scope: "scheduler.all.read scheduler.messages.readwrite",
    });
    expect(decodeJwt(body.access_token)).toMatchObject({
      iss: "http://postdate.test",
      account: "acc_default",
      client_id: client.clientId,
    });
    expect(await reads(body.access_token)).toBe(200);
  }
});

test("a token has the requested scopes and no others", async () => {
  const answer = await ask({ scope: "scheduler.messages.read" });
  expect(answer.json()).toMatchObject({ scope: "scheduler.messages.read" });
  const { access_token: token } = answer.json<{ access_token: string }>();
  expect(decodeJwt(token)["scope"]).toBe("scheduler.messages.read");
  expect(await reads(token)).toBe(403);
  const lists = await api.call({ url: "/v1/targets/t/dead-letters", key: token });
  expect(lists.statusCode).toBe(200);
});

test.each([
  "scheduler.all.readwrite",
  "scheduler.all.read scheduler.all.readwrite",
  "scheduler.all",
  "SCHEDULER.ALL.READ",
  "scheduler.all.read,scheduler.messages.read",
  "scheduler.all.read  scheduler.messages.read",
  " scheduler.all.read",
  "scheduler.all.read\tx",
  "offline_access",
])("scope %j is refused", async (scope) => {
  const answer = await ask({ scope });
  expect(answer.statusCode).toBe(400);
  expect(answer.json()).toEqual({
    error: "invalid_scope",
    error_description: expect.stringMatching(/^[ -~]+$/),
  });
  expect(answer.headers["cache-control"]).toBe("no-store");
});

test("the same scope twice, or an empty one, is accepted", async () => {
  const twice = await ask({ scope: "scheduler.all.read scheduler.all.read" });
  expect(twice.json()).toMatchObject({ scope: "scheduler.all.read" });
  const none = await ask({ scope: "" });
  expect(none.json()).toMatchObject({ scope: "scheduler.all.read scheduler.messages.readwrite" });
});

test("a wrong secret, an unknown client and a malformed client id get the same answer", async () => {
  const answers = await Promise.all(
    [
      { ...client, clientSecret: `${client.clientSecret}x` },
      { ...client, clientSecret: "" },
      { ...client, clientId: "cli_00000000000000000000" },
      { ...client, clientId: "a\0b" },
      { ...client, clientId: "x".repeat(4_000) },
    ].map((wrong) => ask({}, { authorization: basic(wrong) })),
  );
  for (const answer of answers) {
    expect(answer.statusCode).toBe(401);
    expect(answer.headers["www-authenticate"]).toBe('Basic realm="postdate"');
    expect(answer.headers["cache-control"]).toBe("no-store");
    expect(answer.json()).toEqual(answers[0]!.json());
    expect(answer.json()).toMatchObject({ error: "invalid_client" });
  }
});

test("the secret of one client does not work for another", async () => {
  const other = await makeClient("scheduler.all.read");
  const mixed = { clientId: client.clientId, clientSecret: other.clientSecret };
  expect((await ask({}, { authorization: basic(mixed) })).statusCode).toBe(401);
});

test("after a rotation both secrets work during the overlap, and only the new one without an overlap", async () => {
  const old = await makeClient("scheduler.all.read");
  const rotate = async (overlapMs: number): Promise<TestClient> =>
    (
      await api.call({
        method: "POST",
        url: `/v1/clients/${old.clientId}/rotate-secret`,
        body: { overlapMs },
      })
    ).json<TestClient>();
  const status = async (one: TestClient): Promise<number> =>
    (await ask({}, { authorization: basic(one) })).statusCode;
  const second = await rotate(60_000);
  expect([await status(old), await status(second)]).toEqual([200, 200]);
  const third = await rotate(0);
  expect([await status(old), await status(second), await status(third)]).toEqual([401, 401, 200]);
});

test.each<[string, Post, number, string]>([
  ["no body", { fields: "" }, 400, "invalid_request"],
  ["no grant type", { fields: "scope=x" }, 400, "invalid_request"],
  ["an empty grant type", { fields: "grant_type=" }, 400, "invalid_request"],
  ["another grant", { fields: { grant_type: "password" } }, 400, "unsupported_grant_type"],
  [
    "a parameter twice",
    { fields: "grant_type=client_credentials&scope=a&scope=a" },
    400,
    "invalid_request",
  ],
  ["no client", { fields: grant, authorization: null }, 401, "invalid_client"],
  [
    "a bearer in place of a client",
    { fields: grant, authorization: "Bearer x" },
    401,
    "invalid_client",
  ],
  ["a secret in two places", { fields: { ...grant, client_secret: "x" } }, 400, "invalid_request"],
  [
    "JSON",
    { fields: "{}", headers: { "content-type": "application/json" } },
    415,
    "invalid_request",
  ],
  [
    "a compressed body",
    { fields: "grant_type=client_credentials", headers: { "content-encoding": "gzip" } },
    415,
    "invalid_request",
  ],
  [
    "a body too long",
    { fields: `grant_type=client_credentials&x=${"x".repeat(8_192)}` },
    413,
    "invalid_request",
  ],
])("%s is refused in OAuth's format", async (_name, given, status, error) => {
  const answer = await post("/oauth/token", given);
  expect(answer.statusCode).toBe(status);
  expect(answer.json()).toEqual({ error, error_description: expect.stringMatching(/^[ -~]+$/) });
  expect(answer.headers).toMatchObject({ "cache-control": "no-store", pragma: "no-cache" });
});

test("unknown parameters are ignored, as the RFC says", async () => {
  expect((await ask({ audience: "x", __proto__2: "y" })).statusCode).toBe(200);
  const raw = { fields: "grant_type=client_credentials&__proto__=x&constructor=y" };
  expect((await post("/oauth/token", raw)).statusCode).toBe(200);
});

test("parameters in the URL are refused", async () => {
  const query = new URLSearchParams({
    client_id: client.clientId,
    client_secret: client.clientSecret,
  });
  const answer = await post(`/oauth/token?${query.toString()}`, {
    fields: grant,
    authorization: null,
  });
  expect(answer.statusCode).toBe(400);
  expect(answer.json()).toMatchObject({ error: "invalid_request" });
  expect(answer.body).not.toContain(client.clientSecret);
});

test("only these routes take forms", async () => {
  const answer = await api.call({
    method: "POST",
    url: "/v1/messages",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    payload: "targetId=t",
  });
  expect(answer.statusCode).toBe(415);
  expect(answer.json()).toMatchObject({ errors: [{ code: "E-DI-1003" }] });
});

test("an unavailable store gives 503 here too", async () => {
  api.trouble.error = new StoreUnavailable("disk full at /secret/place");
  const answer = await ask();
  api.trouble.error = null;
  expect(answer.statusCode).toBe(503);
  expect(answer.headers["retry-after"]).toBe("1");
  expect(answer.json()).toMatchObject({ error: "temporarily_unavailable" });
  expect(answer.body).not.toContain("secret");
});

test("a bug gives 500 and no internals", async () => {
  api.trouble.error = new Error("at /secret/place");
  const answer = await ask();
  api.trouble.error = null;
  expect(answer.statusCode).toBe(500);
  expect(answer.body).not.toContain("secret");
});

test("however many ask at once, two are looked up at a time", async () => {
  let [underWay, most] = [0, 0];
  const { findClient } = api.store;
  const looking = vi.spyOn(api.store, "findClient").mockImplementation(async (clientId) => {
    most = Math.max(most, ++underWay);
    try {
      return await findClient(clientId);
    } finally {
      underWay--;
    }
  });
  const revoke = () => post("/oauth/revoke", { fields: { token: "none" } });
  const answers = await Promise.all(Array.from({ length: 20 }, () => [ask(), revoke()]).flat());
  looking.mockRestore();
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  expect(most).toBe(2);
});
