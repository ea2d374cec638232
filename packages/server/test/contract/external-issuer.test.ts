import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { decodeJwt, decodeProtectedHeader, generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { clientOf, startExternalIssuer } from "./support/external-issuer.ts";
import type { ExternalIssuer } from "./support/external-issuer.ts";
import { expectRefusal } from "../support/expectations.ts";
import { firstOf } from "./support/first-of.ts";
import { accessToken } from "./support/oauth.ts";
import { farAway, patiently, sharedService } from "../support/shared-service.ts";

const audience = "https://postdate.example/api";
const operatorKey = "pdo_operator_of_this_test";

let issuer: ExternalIssuer;
/** Another trusted issuer, which is never reachable. */
let absentIssuer: string;
beforeAll(async () => {
  issuer = await startExternalIssuer({
    accounts: { ours: "acc_default", theirs: "other", nowhere: "acc_nowhere", odd: "a/b", none: 5 },
    scopes: ["scheduler.all.read", "scheduler.messages.readwrite", "unrelated"],
  });
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  absentIssuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.close();
  await once(server, "close");
});
afterAll(() => issuer[Symbol.asyncDispose]());

const service = sharedService(() => ({
  env: {
    POSTDATE_OPERATOR_KEY: operatorKey,
    POSTDATE_TRUSTED_ISSUERS: JSON.stringify([
      { issuer: issuer.url, audience },
      { issuer: absentIssuer, audience },
    ]),
  },
}));
beforeAll(async () => {
  const body = { accountId: "other", name: "Other" };
  await service.ok("POST", "/v1/accounts", { key: operatorKey, body });
});

const tokenFor = (
  client: string,
  { scope = "scheduler.all.read scheduler.messages.readwrite unrelated", resource = audience } = {},
): Promise<string> => accessToken(issuer.tokenEndpoint, clientOf(client), { scope, resource });
const targetsWith = (key: string) => service.api("GET", "/v1/targets", { key });

test("tokens of a trusted issuer give access to the account that they name, with their scopes", async () => {
  const { targetId } = await service.target();
  const token = await tokenFor("ours");
  expect(decodeProtectedHeader(token).typ).toBe("at+jwt");
  const listed = await targetsWith(token);
  expect(listed.body.items.map((each: { targetId: string }) => each.targetId)).toEqual([targetId]);
  const body = { targetId, deliveryTime: farAway, payload: "x" };
  expect((await service.api("POST", "/v1/messages", { key: token, body })).status).toBe(200);
  const refused = await service.api("POST", "/v1/targets", { key: token, body: {} });
  expectRefusal(refused, 403, { code: "E-DI-2002" });

  const theirs = await targetsWith(await tokenFor("theirs"));
  expect(theirs.status).toBe(200);
  expect(theirs.body.items).toEqual([]);
});

test("a token without any known scope is valid and allows nothing", async () => {
  const token = await tokenFor("ours", { scope: "unrelated" });
  expectRefusal(await targetsWith(token), 403, { code: "E-DI-2002" });
});

test.each([
  ["for another audience", "ours", "https://postdate.example/other"],
  ["for an account that does not exist", "nowhere", audience],
  ["for an account id of the wrong form", "odd", audience],
  ["for an account id that is no text", "none", audience],
])("a token %s is refused", async (_name, client, resource) => {
  const answer = await targetsWith(await tokenFor(client, { resource }));
  expectRefusal(answer, 401, { code: "E-DI-2001" });
  expect(answer.headers.get("www-authenticate")).toContain('error="invalid_token"');
});

test("a token of a suspended account is refused until the account is resumed", async () => {
  const token = await tokenFor("theirs");
  expect((await targetsWith(token)).status).toBe(200);
  await service.ok("POST", "/v1/accounts/other/suspend", { key: operatorKey });
  expect((await targetsWith(token)).status).toBe(403);
  await service.ok("POST", "/v1/accounts/other/resume", { key: operatorKey });
  expect((await targetsWith(token)).status).toBe(200);
});

test("after the issuer rotates its key, new tokens are accepted and old ones stay valid", async () => {
  const old = await tokenFor("ours", { scope: "scheduler.all.read" });
  await issuer.rotateKey();
  const token = await tokenFor("ours", { scope: "scheduler.all.read" });
  expect(decodeProtectedHeader(token).kid).not.toBe(decodeProtectedHeader(old).kid);
  expect((await targetsWith(token)).status).toBe(200);
  expect((await targetsWith(old)).status).toBe(200);
});

const forged = async (claims: Readonly<Record<string, unknown>>): Promise<string> => {
  const { privateKey } = await generateKeyPair("ES256");
  const header = decodeProtectedHeader(await tokenFor("ours"));
  return new SignJWT({
    ...decodeJwt(await tokenFor("ours")),
    ...claims,
  })
    .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid: header.kid! })
    .sign(privateKey);
};

test("forged tokens and tokens of untrusted issuers are refused", async () => {
  expectRefusal(await targetsWith(await forged({})), 401, { code: "E-DI-2001" });
  const stranger = await forged({ iss: "https://stranger.example" });
  expectRefusal(await targetsWith(stranger), 401, { code: "E-DI-2001" });
});

test("if an issuer is away, its tokens get 503, and others are not affected", async () => {
  const answer = await targetsWith(await forged({ iss: absentIssuer }));
  expectRefusal(answer, 503, { code: "E-DI-9002" });
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(answer.text).not.toContain(absentIssuer);

  expect((await service.api("GET", "/v1/targets")).status).toBe(200);
  expect((await targetsWith(await tokenFor("ours"))).status).toBe(200);
  const client = await service.ok("POST", "/v1/clients", {
    body: { name: "own", scopes: ["scheduler.all.read"] },
  });
  const own = await accessToken(`${service.server.url}/oauth/token`, client);
  expect((await targetsWith(own)).status).toBe(200);
});

test("made-up key ids make only a few requests wait for the keys, and a new key is accepted", async () => {
  expect((await targetsWith(await tokenFor("ours"))).status).toBe(200);
  const { privateKey } = await generateKeyPair("ES256");
  const madeUp = (kid: string): Promise<string> =>
    new SignJWT({ scope: "scheduler.all.read", postdate_account: "acc_default" })
      .setProtectedHeader({ alg: "ES256", kid, typ: "at+jwt" })
      .setIssuer(issuer.url)
      .setAudience(audience)
      .setSubject("stranger")
      .setExpirationTime("1m")
      .sign(privateKey);
  const tokens = await Promise.all(Array.from({ length: 40 }, (_, at) => madeUp(`made-up-${at}`)));
  const release = issuer.holdKeys();
  const asked = tokens.map((token) => targetsWith(token));
  for (const answer of await firstOf(asked, 32)) expectRefusal(answer, 401, { code: "E-DI-2001" });
  release();
  for (const answer of await Promise.all(asked)) expect([401, 503]).toContain(answer.status);

  await issuer.rotateKey();
  const token = await tokenFor("ours");
  await expect.poll(async () => (await targetsWith(token)).status, patiently).toBe(200);
});
