import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import type { CryptoKey } from "jose";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../platform/clock.ts";
import { systemTimers } from "../../platform/timers.ts";
import { IssuerUnreachable } from "../access-tokens.ts";
import { createTrustedIssuers } from "./trusted-issuers.ts";

const now = 1_800_000_000;

/** An HTTP server that publishes what the test gives it, and answers 404 to anything else. */
async function openPublisher() {
  const documents = new Map<string, unknown>();
  const asked: string[] = [];
  const respond = ({ url }: IncomingMessage, response: ServerResponse): void => {
    asked.push(url!);
    const document = documents.get(url!);
    if (typeof document === "function") return void document(response);
    response.writeHead(document === undefined ? 404 : 200);
    response.end(typeof document === "string" ? document : JSON.stringify(document));
  };
  const server = createServer(respond).listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    server.close().closeAllConnections();
    await once(server, "close");
  };
  onTestFinished(close);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, documents, asked, close };
}

async function makeKey(kid: string | undefined, alg = "ES256") {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), alg, use: "sig", ...(kid ? { kid } : {}) };
  return { privateKey, jwk, kid, alg };
}

type Key = Awaited<ReturnType<typeof makeKey>>;

interface Choice {
  readonly issuerPath?: string;
  readonly trusted?: Readonly<Record<string, unknown>>;
}

async function openIssuer({ issuerPath = "", trusted = {} }: Choice = {}) {
  const publisher = await openPublisher();
  const issuer = publisher.url + issuerPath;
  const key = await makeKey("one");
  publisher.documents.set("/keys", { keys: [key.jwk] });
  const issuers = createTrustedIssuers({
    issuers: [
      {
        issuer,
        audience: "https://postdate.example",
        accountClaim: "tenant",
        scopeClaim: "scope",
        jwksUri: `${publisher.url}/keys`,
        algorithms: ["ES256", "RS256"],
        ...trusted,
      },
    ],
    clock: { now: () => now * 1_000, monotonic: () => systemClock.monotonic() },
    timers: systemTimers,
  });
  const sign = (
    claims: Readonly<Record<string, unknown>> = {},
    header: Readonly<Record<string, unknown>> = {},
    by: Pick<Key, "kid" | "alg"> & { readonly privateKey: CryptoKey | Uint8Array } = key,
  ): Promise<string> =>
    new SignJWT({
      iss: issuer,
      aud: "https://postdate.example",
      sub: "service-a",
      exp: now + 60,
      scope: "scheduler.messages.readwrite other",
      tenant: "acc_one",
      ...claims,
    })
      .setProtectedHeader({ alg: by.alg, ...(by.kid ? { kid: by.kid } : {}), ...header })
      .sign(by.privateKey);
  const verify = (token: string) => issuers.get(issuer)!.verify(token);
  return { ...publisher, issuer, key, sign, verify };
}

test("a token of a trusted issuer stands for the account that it names", async () => {
  const { sign, verify } = await openIssuer();
  expect(await verify(await sign({ jti: "x1" }))).toEqual({
    accountId: "acc_one",
    scopes: ["scheduler.messages.readwrite"],
    clientId: null,
    tokenId: "x1",
    subject: "service-a",
    expirationTime: (now + 60) * 1_000,
  });
  expect(await verify(await sign())).toMatchObject({ tokenId: null });
  expect(await verify(await sign({ sub: undefined, client_id: "c" }))).toMatchObject({
    subject: "c",
  });
});

test.each<[string, object, object?]>([
  ["another audience", { aud: "https://postdate.example/" }],
  ["no audience", { aud: undefined }],
  ["a list of other audiences", { aud: ["a", "b"] }],
  ["another issuer", { iss: "https://other.example" }],
  ["an end in the past", { exp: now - 6 }],
  ["no end", { exp: undefined }],
  ["an end that is a text", { exp: String(now + 60) }],
  ["a beginning in the future", { nbf: now + 60 }],
  ["no account", { tenant: undefined }],
  ["an account that is a number", { tenant: 5 }],
  ["an account that is a list", { tenant: ["acc_one"] }],
  ["an account with impossible characters", { tenant: "acc_one/../acc_two" }],
  ["an account with a line break", { tenant: "acc_one\n" }],
  ["no subject", { sub: undefined }],
  ["a subject with a NUL", { sub: "a\0" }],
  ["a subject that is too long", { sub: "s".repeat(300) }],
  ["an id with a NUL", { jti: "\0" }],
  ["an id that is a number", { jti: 1 }],
  ["the type of a logout token", {}, { typ: "logout+jwt" }],
])("a token with %s is refused", async (_name, claims, header = {}) => {
  const { sign, verify } = await openIssuer();
  const token = await sign({ ...claims }, { ...header });
  expect(await verify(token)).toBeUndefined();
});

test.each([undefined, "JWT", "jwt", "at+jwt", "application/at+jwt"])(
  "a token of type %s is accepted",
  async (typ) => {
    const { sign, verify } = await openIssuer();
    expect(await verify(await sign({}, typ === undefined ? {} : { typ }))).toBeDefined();
  },
);

test("clocks may be a few seconds apart", async () => {
  const { sign, verify } = await openIssuer();
  expect(await verify(await sign({ exp: now - 4 }))).toBeDefined();
  expect(await verify(await sign({ nbf: now + 5 }))).toBeDefined();
});

test("the audience may be one of several", async () => {
  const { sign, verify } = await openIssuer();
  const aud = ["https://other.example", "https://postdate.example"];
  expect(await verify(await sign({ aud }))).toBeDefined();
});

test.each<[string, unknown, string[]]>([
  ["scope", ["scheduler.all.readwrite"], []],
  [
    "scope",
    "scheduler.all.read  scheduler.messages.read",
    ["scheduler.all.read", "scheduler.messages.read"],
  ],
  ["scope", "xscheduler.all.read scheduler.all.read2 SCHEDULER.ALL.READ", []],
  ["scope", { "scheduler.all.read": true }, []],
  ["scope", undefined, []],
  [
    "permissions",
    ["scheduler.all.read", "x", 5, ["scheduler.all.readwrite"]],
    ["scheduler.all.read"],
  ],
  ["permissions", "scheduler.all.read", ["scheduler.all.read"]],
  ["permissions", ["scheduler.all.read scheduler.all.readwrite"], []],
  ["constructor", undefined, []],
])("claim %s: %j grants %j", async (scopeClaim, value, scopes) => {
  const { sign, verify } = await openIssuer({ trusted: { scopeClaim } });
  expect((await verify(await sign({ scope: undefined, [scopeClaim]: value })))?.scopes).toEqual(
    scopes,
  );
});

test("only the configured algorithms count, for any key that the issuer publishes and the token names", async () => {
  const { sign, verify, documents, key, asked } = await openIssuer({
    trusted: { algorithms: ["RS256", "HS256", "none"] },
  });
  expect(await verify(await sign())).toBeUndefined();
  const secret = new TextEncoder().encode(JSON.stringify(key.jwk));
  const hmac = await sign({}, {}, { privateKey: secret, kid: "one", alg: "HS256" });
  expect(await verify(hmac)).toBeUndefined();
  const [, payload] = hmac.split(".");
  const none = Buffer.from(JSON.stringify({ alg: "none" })).toString("base64url");
  expect(await verify(`${none}.${payload}.`)).toBeUndefined();
  const rsa = await makeKey("rsa", "RS256");
  documents.set("/keys", { keys: [rsa.jwk] });
  expect(await verify(await sign({}, {}, rsa))).toBeDefined();
  expect(new Set(asked)).toEqual(new Set(["/keys"]));
});

test("keys inside a token, or at an address that it names, are ignored", async () => {
  const { sign, verify, documents, asked, url } = await openIssuer();
  const mine = await makeKey("mine");
  documents.set("/mine", { keys: [mine.jwk] });
  for (const header of [{ jwk: mine.jwk }, { jku: `${url}/mine` }, { x5u: `${url}/mine` }]) {
    expect(await verify(await sign({}, { ...header, kid: "one" }, mine))).toBeUndefined();
  }
  expect(asked).not.toContain("/mine");
});

test("a new key is found with its first token, and one read serves many tokens", async () => {
  const { sign, verify, documents, asked, key } = await openIssuer();
  for (let time = 0; time < 20; time++) await verify(await sign());
  expect(asked).toEqual(["/keys"]);
  const next = await makeKey("two");
  documents.set("/keys", { keys: [key.jwk, next.jwk] });
  const tokens = await Promise.all([sign({}, {}, next), sign({}, {}, next), sign({}, {}, next)]);
  const verified = await Promise.all(tokens.map(verify));
  expect(verified.every((each) => each !== undefined)).toBe(true);
  expect(asked).toEqual(["/keys", "/keys"]);
});

test("tokens without a key id are tried with every key that fits", async () => {
  const { sign, verify, documents } = await openIssuer();
  const [one, two, three] = [
    await makeKey(undefined),
    await makeKey(undefined),
    await makeKey(undefined),
  ];
  documents.set("/keys", { keys: [one.jwk, two.jwk] });
  expect(await verify(await sign({}, {}, two))).toBeDefined();
  documents.set("/keys", { keys: [one.jwk, three.jwk] });
  expect(await verify(await sign({}, {}, three))).toBeDefined();
  expect(await verify(await sign({}, {}, two))).toBeUndefined();
});

test("a broken published key makes only its own tokens invalid", async () => {
  const { sign, verify, documents, key } = await openIssuer();
  const broken = await makeKey("broken");
  documents.set("/keys", { keys: [{ ...broken.jwk, x: "AAAA" }, key.jwk] });
  expect(await verify(await sign({}, {}, broken))).toBeUndefined();
  expect(await verify(await sign())).toBeDefined();
});

test.each([
  ["", "/.well-known/openid-configuration"],
  ["", "/.well-known/oauth-authorization-server"],
  ["/", "/.well-known/openid-configuration"],
  ["/realms/one", "/realms/one/.well-known/openid-configuration"],
  ["/realms/one", "/.well-known/oauth-authorization-server/realms/one"],
])("the keys of an issuer at %j are found through %s", async (issuerPath, metadataPath) => {
  const { sign, verify, documents, issuer, url, asked } = await openIssuer({
    issuerPath,
    trusted: { jwksUri: null },
  });
  documents.set(metadataPath, { issuer, jwks_uri: `${url}/keys` });
  expect(await verify(await sign())).toBeDefined();
  const before = asked.length;
  expect(await verify(await sign())).toBeDefined();
  expect(asked).toHaveLength(before);
});

test.each<[string, unknown]>([
  ["names another issuer", { issuer: "https://other.example", jwks_uri: "{url}/keys" }],
  ["has no keys", { issuer: "{url}" }],
  ["contains its keys", { issuer: "{url}", jwks_uri: 'data:,{"keys":[]}' }],
  ["is not an object", [null]],
  ["is not JSON", "<html>"],
])("metadata that %s cannot be used", async (_name, metadata) => {
  const { sign, verify, documents, url, asked } = await openIssuer({ trusted: { jwksUri: null } });
  const text = JSON.stringify(metadata).replaceAll("{url}", url);
  documents.set("/.well-known/openid-configuration", text);
  await expect(verify(await sign())).rejects.toThrow(IssuerUnreachable);
  expect(asked).not.toContain("/keys");
});

test.each<[string, unknown]>([
  ["are missing", undefined],
  ["are not JSON", "<html>"],
  ["are not a key set", { keys: "none" }],
  ["are too many", JSON.stringify({ keys: [], filler: "x".repeat(300_000) })],
  [
    "are elsewhere",
    (response: ServerResponse) => response.writeHead(302, { location: "/elsewhere" }).end(),
  ],
  ["are cut off", (response: ServerResponse) => response.write("{", () => response.destroy())],
])("with keys that %s, a token is neither accepted nor refused", async (_name, keys) => {
  const { sign, verify, documents, asked } = await openIssuer();
  documents.set("/keys", keys);
  documents.set("/elsewhere", { keys: [] });
  await expect(verify(await sign())).rejects.toThrow(IssuerUnreachable);
  expect(asked).toEqual(["/keys"]);
});

test("while the issuer is unreachable, known keys still count, and unknown ones give no decision", async () => {
  const { sign, verify, close } = await openIssuer();
  expect(await verify(await sign())).toBeDefined();
  await close();
  expect(await verify(await sign())).toBeDefined();
  const next = await makeKey("two");
  await expect(verify(await sign({}, {}, next))).rejects.toThrow(IssuerUnreachable);
});

test("a published key that is too weak does not affect the others", async () => {
  const { documents, sign, verify } = await openIssuer();
  const weak = generateKeyPairSync("rsa", { modulusLength: 1_024 }).publicKey;
  const good = await makeKey(undefined, "RS256");
  const weakJwk = { ...weak.export({ format: "jwk" }), alg: "RS256", use: "sig" };
  documents.set("/keys", { keys: [weakJwk, good.jwk] });
  expect(await verify(await sign({}, {}, good))).toMatchObject({ accountId: "acc_one" });
  const foreign = await makeKey(undefined, "RS256");
  expect(await verify(await sign({}, {}, foreign))).toBeUndefined();
});

test("a key that was not found is not looked for again at once", async () => {
  const { asked, sign, verify } = await openIssuer();
  const token = await sign({}, { kid: "retired" });
  expect(await verify(token)).toBeUndefined();
  const before = asked.length;
  expect(await verify(token)).toBeUndefined();
  expect(asked).toHaveLength(before);
});
