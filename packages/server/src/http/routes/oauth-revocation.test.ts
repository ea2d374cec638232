import { beforeAll, expect, onTestFinished, test } from "vitest";
import { basic, oauthCalls } from "../testing/oauth-calls.ts";
import type { TestClient } from "../testing/oauth-calls.ts";
import { openTestApi, operatorKey } from "../testing/open-test-api.ts";
import { sharedTestApi } from "../testing/shared-test-api.ts";

const api = sharedTestApi();
let client: TestClient;
const { makeClient, post, ask, tokenOf, reads } = oauthCalls(
  () => api,
  () => client,
);
beforeAll(async () => {
  client = await makeClient("scheduler.messages.readwrite", "scheduler.all.read");
});

test("a revoked token is refused, and other tokens of this and other clients still work", async () => {
  const [token, sister] = [await tokenOf(), await tokenOf()];
  expect(await reads(token)).toBe(200);
  const answer = await post("/oauth/revoke", { fields: { token, token_type_hint: "x" } });
  expect(answer.statusCode).toBe(200);
  expect(answer.headers["cache-control"]).toBe("no-store");
  expect(await reads(token)).toBe(401);
  expect(await reads(sister)).toBe(200);
  expect((await post("/oauth/revoke", { fields: { token } })).statusCode).toBe(200);
});

test("revoking anything else gets the same answer and changes nothing", async () => {
  const other = await makeClient("scheduler.all.read");
  const token = await tokenOf();
  const [header, payload] = token.split(".");
  for (const [fields, authorization] of [
    [{ token }, basic(other)],
    [{ token: `${header}.${payload}.AAAA` }, undefined],
    [{ token: "garbage" }, undefined],
    [{ token: api.rootKey }, undefined],
  ] as const) {
    const answer = await post("/oauth/revoke", {
      fields,
      ...(authorization === undefined ? {} : { authorization }),
    });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({});
  }
  expect(await reads(token)).toBe(200);
  expect(await reads(api.rootKey)).toBe(200);
});

test("revoking needs a client and a token", async () => {
  const token = await tokenOf();
  const nobody = await post("/oauth/revoke", { fields: { token }, authorization: null });
  expect(nobody.statusCode).toBe(401);
  const nothing = await post("/oauth/revoke", { fields: {} });
  expect(nothing.statusCode).toBe(400);
  expect(nothing.json()).toEqual({
    error: "invalid_request",
    error_description: "token is missing.",
  });
  expect(await reads(token)).toBe(200);
});

test("the tokens of a removed client are refused", async () => {
  const gone = await makeClient("scheduler.all.read");
  const token = await tokenOf(gone);
  expect(await reads(token)).toBe(200);
  await api.call({ method: "DELETE", url: `/v1/clients/${gone.clientId}` });
  expect(await reads(token)).toBe(401);
  expect((await ask({}, { authorization: basic(gone) })).statusCode).toBe(401);
});

test("the server publishes where and how to get tokens", async () => {
  const answer = await api.call({ url: "/.well-known/oauth-authorization-server", key: null });
  expect(answer.json()).toEqual({
    issuer: "http://postdate.test",
    token_endpoint: "http://postdate.test/oauth/token",
    revocation_endpoint: "http://postdate.test/oauth/revoke",
    jwks_uri: "http://postdate.test/.well-known/jwks.json",
    scopes_supported: [
      "scheduler.all.read",
      "scheduler.all.readwrite",
      "scheduler.messages.read",
      "scheduler.messages.readwrite",
    ],
    response_types_supported: [],
    grant_types_supported: ["client_credentials"],
    token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
    revocation_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
  });
});

test("an issuer with a path publishes its metadata where RFC 8414 expects it", async () => {
  const publicUrl = "http://postdate.test/base";
  const limits = {
    maxRequests: 10,
    maxLoopDelayMs: 500,
    tokenRequestLimit: { max: 10, intervalMs: 1_000 },
    trustProxies: [],
    publicUrl,
  };
  const based = await openTestApi({ limits, issuer: () => publicUrl });
  onTestFinished(() => based.close());
  const url = "/.well-known/oauth-authorization-server/base";
  expect((await based.call({ url, key: null })).json()).toMatchObject({ issuer: publicUrl });
  expect((await api.call({ url, key: null })).statusCode).toBe(404);
});

test("only the operator can list the signing keys and make a new one", async () => {
  const rotate = (key: string, body?: object) =>
    api.call({ method: "POST", url: "/v1/signing-keys/rotate", key, ...(body ? { body } : {}) });
  const before = await tokenOf();
  const list = await api.call({ url: "/v1/signing-keys", key: operatorKey });
  expect(list.json()).toEqual({
    items: [{ keyId: expect.any(String), creationTime: expect.any(String), state: "SIGNING" }],
  });
  expect((await api.call({ url: "/v1/signing-keys" })).statusCode).toBe(403);
  expect((await rotate(api.rootKey)).statusCode).toBe(403);
  expect((await rotate(before)).statusCode).toBe(403);

  const rotated = (await rotate(operatorKey)).json<{ items: { state: string }[] }>();
  expect(rotated.items.map(({ state }) => state)).toEqual(["SIGNING", "UPCOMING"]);
  expect(await reads(before)).toBe(200);
  const removed = (await rotate(operatorKey, { removeOld: true })).json<typeof rotated>();
  expect(removed.items.map(({ state }) => state)).toEqual(["SIGNING"]);
  expect(await reads(before)).toBe(401);
  expect(await reads(await tokenOf())).toBe(200);

  const published = await api.call({ url: "/.well-known/jwks.json", key: null });
  expect(published.headers["cache-control"]).toBe("public, max-age=150");
  expect(published.json<{ keys: object[] }>().keys).toHaveLength(1);
  expect(published.body).not.toContain('"d"');
  const entries = await api.store.listAuditEntries({
    accountId: null,
    minTime: null,
    maxTime: null,
    after: null,
    limit: 100,
  });
  const ofKeys = entries.filter(({ action }) => action.startsWith("signing-key."));
  expect(ofKeys.map(({ action, actor }) => `${action} by ${actor.kind}`).toSorted()).toEqual([
    "signing-key.created by operator",
    "signing-key.created by operator",
    "signing-key.created by service",
    "signing-key.removed by operator",
    "signing-key.removed by operator",
  ]);
});
