import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify, SignJWT } from "jose";
import { expect, test } from "vitest";
import { systemRandom } from "../../src/platform/random.ts";
import { createSecretBox } from "../../src/platform/keyring.ts";
import { openSqliteStore } from "../../src/storage/sqlite/open-sqlite-store.ts";
import { openPrivateKey } from "../../src/tokens/jwt/signing-key-pair.ts";
import { expectRefusal } from "../support/expectations.ts";
import { accessToken, postForm } from "./support/oauth.ts";
import type { Form, OAuthClient } from "./support/oauth.ts";
import { services } from "../support/service.ts";
import { farAway, sharedService } from "../support/shared-service.ts";

const operatorKey = "pdo_operator_of_this_test";
const service = sharedService({ env: { POSTDATE_OPERATOR_KEY: operatorKey } });
const startService = services();

const makeClient = (scopes: readonly string[], key?: string): Promise<OAuthClient> =>
  service.ok("POST", "/v1/clients", {
    body: { name: "test", scopes },
    ...(key === undefined ? {} : { key }),
  });
const ask = (form: Form, client?: OAuthClient) =>
  postForm(
    `${service.server.url}/oauth/token`,
    { grant_type: "client_credentials", ...form },
    client,
  );
const tokenOf = (client: OAuthClient, form?: Form) =>
  accessToken(`${service.server.url}/oauth/token`, client, form);
const targetsWith = (key: string) => service.api("GET", "/v1/targets", { key });

test("a client goes from the metadata to a scheduled message, with a token that anyone can verify", async () => {
  const { url } = service.server;
  const path = "/.well-known/oauth-authorization-server";
  const { body: metadata } = await service.api("GET", path, { key: null });
  expect(metadata).toMatchObject({ issuer: url, token_endpoint: `${url}/oauth/token` });
  const client = await makeClient(["scheduler.messages.readwrite"]);
  const { status, headers, body } = await postForm(
    metadata.token_endpoint,
    { grant_type: "client_credentials" },
    client,
  );
  expect(status).toBe(200);
  expect(headers.get("cache-control")).toBe("no-store");
  expect(body).toMatchObject({ token_type: "Bearer", expires_in: 3_600 });

  const { payload, protectedHeader } = await jwtVerify(
    body.access_token,
    createRemoteJWKSet(new URL(metadata.jwks_uri)),
    { issuer: metadata.issuer, audience: "postdate", typ: "at+jwt" },
  );
  expect(protectedHeader.alg).toBe("ES256");
  expect(payload).toMatchObject({ client_id: client.clientId, account: "acc_default" });

  const { targetId } = await service.target();
  const message = await service.api("POST", "/v1/messages", {
    key: body.access_token,
    body: { targetId, deliveryTime: farAway, payload: "x" },
  });
  expect(message.status).toBe(200);
});

test("id and secret may be in the body", async () => {
  const { clientId, clientSecret } = await makeClient(["scheduler.all.read"]);
  const { status, body } = await ask({ client_id: clientId, client_secret: clientSecret });
  expect(status).toBe(200);
  expect((await targetsWith(body.access_token)).status).toBe(200);
});

test("wrong secrets and unknown clients get the same refusal", async () => {
  const client = await makeClient(["scheduler.all.read"]);
  const wrong = await ask({}, { ...client, clientSecret: "pds_wrong" });
  const unknown = await ask({}, { ...client, clientId: "cli_00000000000000000000" });
  for (const { status, headers, body } of [wrong, unknown]) {
    expect(status).toBe(401);
    expect(headers.get("www-authenticate")).toBe('Basic realm="postdate"');
    expect(body).toEqual(wrong.body);
    expect(body.error).toBe("invalid_client");
  }
});

test("a rotated secret stays valid beside the new one for the overlap", async () => {
  const old = await makeClient(["scheduler.all.read"]);
  const rotate = (overlapMs: number): Promise<OAuthClient> =>
    service.ok("POST", `/v1/clients/${old.clientId}/rotate-secret`, { body: { overlapMs } });
  const second = await rotate(60_000);
  expect((await ask({}, old)).status).toBe(200);
  expect((await ask({}, second)).status).toBe(200);
  const third = await rotate(0);
  expect((await ask({}, second)).status).toBe(401);
  expect((await ask({}, third)).status).toBe(200);
});

test("a token can have fewer scopes than its client, never more", async () => {
  const client = await makeClient(["scheduler.all.read"]);
  const less = await tokenOf(client, { scope: "scheduler.messages.read" });
  expectRefusal(await targetsWith(less), 403, { code: "E-DI-2002" });
  const more = await ask({ scope: "scheduler.all.readwrite" }, client);
  expect(more).toMatchObject({ status: 400, body: { error: "invalid_scope" } });
});

test("a revoked token and a removed client's token are refused", async () => {
  const client = await makeClient(["scheduler.all.read"]);
  const [first, second] = [await tokenOf(client), await tokenOf(client)];
  expect((await targetsWith(first)).status).toBe(200);
  const revoked = await postForm(`${service.server.url}/oauth/revoke`, { token: first }, client);
  expect(revoked.status).toBe(200);
  expectRefusal(await targetsWith(first), 401, { code: "E-DI-2001" });
  expect((await targetsWith(second)).status).toBe(200);
  await service.ok("DELETE", `/v1/clients/${client.clientId}`);
  expectRefusal(await targetsWith(second), 401, { code: "E-DI-2001" });
  expect((await ask({}, client)).status).toBe(401);
});

test("clients of a suspended account get no tokens, and their tokens are refused until it is resumed", async () => {
  const account = await service.ok("POST", "/v1/accounts", {
    key: operatorKey,
    body: { accountId: "paused", name: "Paused" },
  });
  const client = await makeClient(["scheduler.all.read"], account.key);
  const token = await tokenOf(client);
  expect((await targetsWith(token)).status).toBe(200);
  await service.ok("POST", "/v1/accounts/paused/suspend", { key: operatorKey });
  expect(await ask({}, client)).toMatchObject({ status: 401, body: { error: "invalid_client" } });
  expect((await targetsWith(token)).status).toBe(403);
  await service.ok("POST", "/v1/accounts/paused/resume", { key: operatorKey });
  expect((await ask({}, client)).status).toBe(200);
  expect((await targetsWith(token)).status).toBe(200);
});

test("removing the old signing keys ends every token at once", async () => {
  const client = await makeClient(["scheduler.all.read"]);
  const token = await tokenOf(client);
  const rotate = (body?: object) =>
    service.ok("POST", "/v1/signing-keys/rotate", {
      key: operatorKey,
      ...(body === undefined ? {} : { body }),
    });
  expect((await rotate()).items.at(-1).state).toBe("UPCOMING");
  expect((await targetsWith(token)).status).toBe(200);
  const { items } = await rotate({ removeOld: true });
  expect(items).toMatchObject([{ state: "SIGNING" }]);
  expectRefusal(await targetsWith(token), 401, { code: "E-DI-2001" });
  const next = await tokenOf(client);
  expect(decodeProtectedHeader(next).kid).toBe(items[0].keyId);
  expect((await targetsWith(next)).status).toBe(200);
});

test("expired tokens and tokens for another audience are refused, even if our own key signed them", async () => {
  const masterKey = systemRandom.bytes(32);
  const env = { POSTDATE_ENCRYPTION_KEY: masterKey.toString("hex") };
  const before = await startService({ env });
  const client = (
    await before.api("POST", "/v1/clients", {
      body: { name: "x", scopes: ["scheduler.all.read"] },
    })
  ).body as OAuthClient;
  await accessToken(`${before.server.url}/oauth/token`, client);
  await before.server.stop();

  const day = 86_400_000;
  const options = { retentionMs: day, idempotencyRetentionMs: day };
  const store = await openSqliteStore({ dataDir: before.dataDir, ...options });
  const [kept] = await store.listSigningKeys();
  await store.close();
  const key = await openPrivateKey(createSecretBox(masterKey, systemRandom), kept!);

  const { api, server } = await before.restart();
  const now = Math.floor(Date.now() / 1_000);
  const statusWith = async (change: Readonly<Record<string, unknown>>): Promise<number> => {
    const claims = {
      iss: server.url,
      sub: client.clientId,
      client_id: client.clientId,
      aud: "postdate",
      iat: now - 100,
      exp: now + 100,
      jti: "tok_made_by_hand",
      scope: "scheduler.all.read",
      account: "acc_default",
      ...change,
    };
    const token = await new SignJWT(claims)
      .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid: kept!.keyId })
      .sign(key);
    return (await api("GET", "/v1/targets", { key: token })).status;
  };
  expect(await statusWith({})).toBe(200);
  expect(await statusWith({ exp: now - 1 })).toBe(401);
  expect(await statusWith({ aud: "somebody else" })).toBe(401);
  expect(await statusWith({ account: "acc_other" })).toBe(401);
  expect(await statusWith({ scope: "scheduler.messages.read" })).toBe(403);
  // A token gives no scope that the client no longer has.
  expect(await statusWith({ scope: "scheduler.all.readwrite" })).toBe(403);
});
