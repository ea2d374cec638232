import { decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair, SignJWT } from "jose";
import type { CryptoKey } from "jose";
import { expect, test } from "vitest";
import { openPrivateKey } from "../../src/tokens/jwt/signing-key-pair.ts";
import { grant, hour, issued, openTokens, startTime } from "./support/test-tokens.ts";
import type { TokensUnderTest } from "./support/test-tokens.ts";

const now = startTime / 1_000;

interface Forgery {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly key?: CryptoKey | Uint8Array;
}

/** A token made by hand: unless told otherwise it is as good as ours, signed with the key of the service. */
async function forge({ store, secretBox, tokens }: TokensUnderTest, forgery: Forgery = {}) {
  await issued(tokens);
  const [kept] = await store.listSigningKeys();
  const key = forgery.key ?? (await openPrivateKey(secretBox, kept!));
  const claims = {
    iss: "https://postdate.example",
    sub: grant.clientId,
    client_id: grant.clientId,
    aud: "postdate",
    iat: now,
    exp: now + 60,
    jti: "tok_1",
    scope: grant.scopes.join(" "),
    account: grant.accountId,
    ...forgery.claims,
  };
  const header = { alg: "ES256", typ: "at+jwt", kid: kept!.keyId, ...forgery.header };
  return new SignJWT(claims).setProtectedHeader(header).sign(key);
}

test("a token says what RFC 9068 asks for, and is good for its lifetime", async () => {
  const { tokens, pass } = openTokens();
  pass(1_999);
  const { token, lifetimeMs } = await tokens.issue(grant);
  expect(lifetimeMs).toBe(hour);
  expect(decodeProtectedHeader(token)).toEqual({
    alg: "ES256",
    typ: "at+jwt",
    kid: expect.stringMatching(/^sig_[0-9a-z]{20}$/),
  });
  expect(decodeJwt(token)).toEqual({
    iss: "https://postdate.example",
    sub: grant.clientId,
    client_id: grant.clientId,
    aud: "postdate",
    iat: now + 1,
    exp: now + 3_601,
    jti: expect.stringMatching(/^tok_[0-9a-z]{26}$/),
    scope: "scheduler.messages.read scheduler.messages.readwrite",
    account: "acc_one",
  });
  expect(await tokens.verify(token)).toEqual({
    accountId: "acc_one",
    clientId: grant.clientId,
    subject: grant.clientId,
    scopes: grant.scopes,
    tokenId: decodeJwt(token).jti,
    expirationTime: startTime + 1_000 + hour,
  });
  expect(await tokens.verifyOwn(token)).toEqual(await tokens.verify(token));
  pass(hour - 1_000);
  expect(await tokens.verify(token)).toBeDefined();
  pass(2);
  expect(await tokens.verify(token)).toBeUndefined();
});

test("no two tokens have the same id", async () => {
  const { tokens } = openTokens();
  const all = await Promise.all(Array.from({ length: 50 }, () => issued(tokens)));
  expect(new Set(all.map((token) => decodeJwt(token).jti)).size).toBe(50);
});

test("a token made by hand with our key is good: what follows fails for its own reason", async () => {
  const under = openTokens();
  expect(await under.tokens.verify(await forge(under))).toMatchObject({ tokenId: "tok_1" });
});

test.each<[string, Forgery]>([
  ["another audience", { claims: { aud: "other" } }],
  ["no audience", { claims: { aud: undefined } }],
  ["another issuer", { claims: { iss: "https://evil.example" } }],
  ["an issuer that only begins like ours", { claims: { iss: "https://postdate.example/" } }],
  ["no issuer", { claims: { iss: undefined } }],
  ["an end in the past", { claims: { exp: now - 1 } }],
  ["an end this second", { claims: { exp: now } }],
  ["no end", { claims: { exp: undefined } }],
  ["an end that is a text", { claims: { exp: String(now + 60) } }],
  ["an end beyond all calendars", { claims: { exp: 1e300 } }],
  ["no time of issue", { claims: { iat: undefined } }],
  ["no id", { claims: { jti: undefined } }],
  ["an id that is a number", { claims: { jti: 5 } }],
  ["an id with a NUL", { claims: { jti: "a\0b" } }],
  ["no account", { claims: { account: undefined } }],
  ["an account that is a list", { claims: { account: ["acc_one"] } }],
  ["an account that none can be", { claims: { account: "acc one" } }],
  ["scopes as a list", { claims: { scope: [...grant.scopes] } }],
  ["no scopes", { claims: { scope: undefined } }],
  ["another subject than the client", { claims: { sub: "cli_other" } }],
  ["no client", { claims: { client_id: undefined, sub: undefined } }],
  ["the type of an identity token", { header: { typ: "JWT" } }],
  ["no type", { header: { typ: undefined } }],
  ["no key id", { header: { kid: undefined } }],
  ["a key id of nobody", { header: { kid: "sig_nobody" } }],
  ["a key id of the object's own", { header: { kid: "__proto__" } }],
])("a token with %s is not good", async (_name, forgery) => {
  const under = openTokens();
  expect(await under.tokens.verify(await forge(under, forgery))).toBeUndefined();
});

test("what names another issuer is not ours, and the store is not asked about it", async () => {
  const under = openTokens();
  const claims = { iss: "https://stranger.example" };
  const token = await forge(under, { claims });
  expect(await under.tokens.verifyOwn(token)).toBeUndefined();
  const unknownKey = await forge(under, { claims, header: { kid: "sig_nobody" } });
  const before = under.calls("listSigningKeys");
  expect(await under.tokens.verify(unknownKey)).toBeUndefined();
  expect(under.calls("listSigningKeys")).toBe(before);
});

test("scopes are exact names between single spaces; others do not count", async () => {
  const under = openTokens();
  const scopesOf = async (scope: string) =>
    (await under.tokens.verify(await forge(under, { claims: { scope } })))?.scopes;
  expect(await scopesOf("scheduler.all.read")).toEqual(["scheduler.all.read"]);
  expect(await scopesOf("scheduler.all.readwrite2 Scheduler.all.read scheduler.all")).toEqual([]);
  expect(await scopesOf("scheduler.all.read,scheduler.all.readwrite")).toEqual([]);
  expect(await scopesOf("x\tscheduler.all.read")).toEqual([]);
});

test("a signature of another key, none, or one made with our public key as a secret is not good", async () => {
  const under = openTokens();
  const { tokens } = under;
  const { privateKey } = await generateKeyPair("ES256");
  expect(await tokens.verify(await forge(under, { key: privateKey }))).toBeUndefined();

  const good = await forge(under);
  const [header, payload, signature] = good.split(".") as [string, string, string];
  const kid = decodeProtectedHeader(good).kid;
  const withHeader = (changed: object): string =>
    `${Buffer.from(JSON.stringify(changed)).toString("base64url")}.${payload}`;
  expect(
    await tokens.verify(`${withHeader({ alg: "none", typ: "at+jwt", kid })}.`),
  ).toBeUndefined();
  expect(await tokens.verify(`${header}.${payload}.`)).toBeUndefined();
  expect(await tokens.verify(`${header}.${payload}`)).toBeUndefined();
  expect(await tokens.verify(`${good}.`)).toBeUndefined();
  expect(await tokens.verify(`${header}.${payload.slice(0, -2)}.${signature}`)).toBeUndefined();

  const { keys } = await tokens.publicKeys();
  const secret = new TextEncoder().encode(JSON.stringify(keys[0]));
  const hmac = await forge(under, { header: { alg: "HS256" }, key: secret });
  expect(await tokens.verify(hmac)).toBeUndefined();
});

test("a key that the token brings along is not looked at", async () => {
  const under = openTokens();
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  const jwk = await exportJWK(publicKey);
  for (const header of [{ jwk }, { jwk, kid: undefined }, { jku: "http://127.0.0.1:9/" }]) {
    const token = await forge(under, { header, key: privateKey });
    expect(await under.tokens.verify(token)).toBeUndefined();
  }
});

test("without a public address every node's tokens are good, whatever address they name", async () => {
  const under = openTokens({ publicUrl: null, issuer: () => "http://127.0.0.1:1111" });
  const other = under.another({ issuer: () => "http://127.0.0.1:2222" });
  expect(await under.tokens.verify(await issued(other))).toBeDefined();
});

test("a token that is longer than any of ours is not read", async () => {
  const under = openTokens();
  const long = await forge(under, { claims: { filler: "x".repeat(6_000) } });
  expect(long.length).toBeGreaterThan(8_192);
  expect(await under.tokens.verify(long)).toBeUndefined();
  const short = await forge(under, { claims: { filler: "x".repeat(5_000) } });
  expect(short.length).toBeLessThan(8_192);
  expect(await under.tokens.verify(short)).toBeDefined();
});

test.each(["", ".", "..", "a.b.c", "....", "e30.e30.e30", "bnVsbA.bnVsbA.x"])(
  "%j is no token",
  async (token) => {
    const { tokens } = openTokens();
    expect(await tokens.verify(token)).toBeUndefined();
    expect(await tokens.verifyOwn(token)).toBeUndefined();
  },
);
