import { afterEach, describe, expect, test, vi } from "vitest";
import { defaultAccountId } from "../../domain/access.ts";
import type { Credential } from "../../domain/access.ts";
import { systemClock } from "../../platform/clock.ts";
import type { HttpOptions } from "../http-options.ts";
import type { ShedReason } from "../load/shed-load.ts";
import { openTestApi, operatorKey } from "../testing/open-test-api.ts";
import type { TestApi } from "../testing/open-test-api.ts";
import { createAuthenticator } from "./authenticate.ts";
import { connectRaw, head } from "../testing/raw-connection.ts";
import type { RawConnection } from "../testing/raw-connection.ts";

const megabyte = 1_048_576;
const json = { "content-type": "application/json" };
const chunked = { ...json, "transfer-encoding": "chunked" };
const form = { "content-type": "application/x-www-form-urlencoded" };

let api: TestApi;
let shed: ShedReason[];
const connections: RawConnection[] = [];
afterEach(async () => {
  for (const { socket } of connections.splice(0)) socket.destroy();
  api.app.server.closeAllConnections();
  await api.close();
});

async function open(changes: Partial<HttpOptions> & { readonly maxRequests?: number } = {}) {
  const { maxRequests = 1_000, ...others } = changes;
  shed = [];
  api = await openTestApi({
    // With a monotonic clock that stands still, a busy machine turns no request away.
    clock: { now: () => systemClock.now(), monotonic: () => 0 },
    observer: { shed: (reason) => void shed.push(reason), limited() {}, answered() {} },
    limits: {
      maxRequests,
      maxLoopDelayMs: Infinity,
      tokenRequestLimit: { max: 100_000, intervalMs: 1_000 },
      trustProxies: ["127.0.0.1/32"],
      publicUrl: null,
    },
    ...others,
  });
  await api.app.listen({ host: "127.0.0.1", port: 0 });
}

/** Makes an account with a target. */
async function account() {
  const made = await api.call({ method: "POST", url: "/v1/accounts", body: {}, key: operatorKey });
  const { key } = made.json<{ key: string }>();
  const target = { targetId: "t", url: "http://127.0.0.1:1/" };
  await api.call({ method: "POST", url: "/v1/targets", body: target, key });
  const message = { targetId: "t", deliveryTime: "2999-01-01T00:00:00Z", payload: "in time" };
  const send = async (url: string, body: object) =>
    (await api.call({ method: "POST", url, body, key })).statusCode;
  return {
    key,
    schedule: () => send("/v1/messages", message),
    scheduleLarge: (bytes: number) => {
      const one = { ...message, payload: "x".repeat(60_000) };
      const messages = Array.from({ length: Math.ceil(bytes / 60_000) }, () => one);
      return send("/v1/messages/batch", { messages });
    },
  };
}

async function begin(count: number, head_: string, beginning = ""): Promise<RawConnection[]> {
  const begun: RawConnection[] = [];
  for (let index = 0; index < count; index++) {
    const connection = await connectRaw(api.app);
    begun.push(connection);
    connections.push(connection);
    connection.send(head_ + beginning);
  }
  return begun;
}

/** The status that each connection got, 0 if it has no answer yet. */
const statuses = (begun: readonly RawConnection[]) =>
  begun.map(({ text }) => Number(/^HTTP\/1.1 (\d+)/.exec(text())?.[1] ?? 0));
const countOf = (begun: readonly RawConnection[], status: number) =>
  statuses(begun).filter((one) => one === status).length;
const settled = (check: () => boolean) => vi.waitUntil(check, { timeout: 20_000, interval: 5 });

describe("strangers who announce a body and send none of it", () => {
  test.each([
    ["an unknown path", "POST", "/nope", 404],
    ["an unknown path under /v1", "POST", "/v1/nope", 404],
    ["an unknown method", "PUT", "/v1/messages", 405],
    ["no credential", "POST", "/v1/messages", 401],
    ["no credential, a large body", "POST", "/v1/messages/batch", 401],
    ["no credential, an encoded path", "POST", "/%761/messages", 401],
    ["a sign-in from nowhere", "POST", "/v1/session", 400],
  ])("%s: get an answer at once, and hold nothing", async (_, method, path, status) => {
    await open();
    const { schedule, scheduleLarge } = await account();
    const strangers = await begin(256, head(method, path, chunked));
    await settled(() => countOf(strangers, status) === 256);
    expect(await schedule()).toBe(200);
    expect(await scheduleLarge(4 * megabyte)).toBe(200);
    expect(shed).toEqual([]);
  });

  test("at the token endpoint: compete only with other strangers", async () => {
    await open({ maxRequests: 80 });
    const { schedule } = await account();
    const ask = { ...form, "transfer-encoding": "chunked", "x-forwarded-for": "192.0.2.1" };
    const strangers = await begin(256, head("POST", "/oauth/token", ask));
    // There are 20 places for strangers. One address gets at most as many as it leaves free: 10.
    await settled(() => countOf(strangers, 503) === 246);
    expect(new Set(shed)).toEqual(new Set(["strangers"]));
    for (let count = 0; count < 20; count++) expect(await schedule()).toBe(200);

    const body = "grant_type=client_credentials&client_id=a&client_secret=b";
    const length = { ...form, "content-length": body.length };
    const elsewhere = { ...length, "x-forwarded-for": "192.0.2.2" };
    const [other] = await begin(1, head("POST", "/oauth/token", elsewhere), body);
    expect(await other!.received(/invalid_client/)).toMatch(/^HTTP\/1.1 401 /);
    const same = { ...length, "x-forwarded-for": "192.0.2.1" };
    const [another] = await begin(1, head("POST", "/oauth/token", same), body);
    expect(await another!.received(/temporarily_unavailable/)).toMatch(/^HTTP\/1.1 503 /);

    for (const { socket } of strangers) socket.destroy();
    await Promise.all(strangers.map(({ gone }) => gone));
    const [afterwards] = await begin(1, head("POST", "/oauth/token", same), body);
    expect(await afterwards!.received(/invalid_client/)).toMatch(/^HTTP\/1.1 401 /);
  });

  test("at sign-in: compete only with other strangers", async () => {
    await open({ maxRequests: 80 });
    const { key, schedule } = await account();
    const page = { host: "localhost", "sec-fetch-site": "same-origin", "postdate-console": "1" };
    const from = (block: number) => ({ ...page, "x-forwarded-for": `192.0.2.${block}` });
    const strangers = await begin(256, head("POST", "/v1/session", { ...chunked, ...from(1) }));
    await settled(() => countOf(strangers, 503) === 246);
    expect(new Set(shed)).toEqual(new Set(["strangers"]));
    for (let count = 0; count < 20; count++) expect(await schedule()).toBe(200);

    const body = JSON.stringify({ key });
    const whole = { ...json, "content-length": body.length };
    const [other] = await begin(1, head("POST", "/v1/session", { ...whole, ...from(2) }), body);
    expect(await other!.received(/expirationTime/)).toMatch(/^HTTP\/1.1 200 /);
  });

  test("from many addresses, with all places of strangers: do not keep out a new token", async () => {
    await open({ maxRequests: 80 });
    const client = { name: "c", scopes: ["scheduler.all.read"] };
    const made = await api.call({ method: "POST", url: "/v1/clients", body: client });
    const { clientId, clientSecret } = made.json<{ clientId: string; clientSecret: string }>();
    const asked = new URLSearchParams({
      grant_type: "client_credentials",
      client_id: clientId,
      client_secret: clientSecret,
    });
    const issued = await api.call({
      method: "POST",
      url: "/oauth/token",
      headers: form,
      payload: asked.toString(),
      key: null,
    });
    const { access_token: token } = issued.json<{ access_token: string }>();

    const strangers: RawConnection[] = [];
    for (let block = 1; block <= 40; block++) {
      const ask = {
        ...form,
        "transfer-encoding": "chunked",
        "x-forwarded-for": `192.0.2.${block}`,
      };
      strangers.push(...(await begin(1, head("POST", "/oauth/token", ask))));
    }
    await settled(() => countOf(strangers, 503) === 20);
    const headers = { "x-forwarded-for": "198.51.100.1" };
    const answer = await api.call({ method: "GET", url: "/v1/targets", key: token, headers });
    expect(answer.statusCode).toBe(200);
  });

  test("at the token endpoint: are turned away if the body comes in many tiny pieces", async () => {
    await open();
    const ask = { ...form, "transfer-encoding": "chunked" };
    const pieces = "1\r\na\r\n".repeat(8_000);
    const [stranger] = await begin(1, head("POST", "/oauth/token", ask), pieces);
    expect(await stranger!.received(/temporarily_unavailable/)).toMatch(/^HTTP\/1.1 503 /);
  });
});

describe("an account with hundreds of bodies that never end", () => {
  test.each([
    ["of unknown length", chunked, "5\r\n{    \r\n"],
    ["of known length", { ...json, "content-length": megabyte }, "{    "],
  ])("%s: takes at most eight ninths of the places", async (_, headers, beginning) => {
    await open({ maxRequests: 100 });
    const [hog, other] = [await account(), await account()];
    const asHog = { ...headers, authorization: `Bearer ${hog.key}` };
    const bodies = await begin(400, head("POST", "/v1/messages", asHog), beginning);
    await settled(() => countOf(bodies, 503) === 312);
    expect(await hog.schedule()).toBe(503);
    expect(new Set(shed)).toEqual(new Set(["requests"]));
    const calls = Array.from({ length: 8 }, () => other.schedule());
    expect(new Set(await Promise.all(calls))).toEqual(new Set([200]));
    expect(await other.scheduleLarge(megabyte)).toBe(200);
  });

  test("an account without a place gets one, even if other accounts have taken all", async () => {
    await open({ maxRequests: 3 });
    const hogs = [await account(), await account(), await account(), await account()];
    const other = await account();
    for (const [index, { key }] of hogs.entries()) {
      const asHog = { ...chunked, authorization: `Bearer ${key}` };
      const bodies = await begin(3, head("POST", "/v1/messages", asHog));
      // The first account gets two places. Each of the others gets one, even beyond the limit.
      await settled(() => countOf(bodies, 503) === (index === 0 ? 1 : 2));
    }
    expect(await other.schedule()).toBe(200);
  });
});

test("revoked keys, each looked up, take no places from accounts and are counted by address", async () => {
  const lookUps = Promise.withResolvers<undefined>();
  const account_ = { accountId: defaultAccountId, state: "ACTIVE", requestLimit: null };
  const valid = { account: account_, scopes: ["scheduler.all.readwrite"], expirationTime: null };
  const authenticator = createAuthenticator({
    findCredential: (key) =>
      key === "pd_valid" ? Promise.resolve(valid as unknown as Credential) : lookUps.promise,
    isMarkedKey: (key) => key.startsWith("pd_revoked"),
    operatorKey,
    clock: systemClock,
    rememberMs: Infinity,
  });
  await open({ maxRequests: 4, authenticator });
  expect((await api.call({ url: "/v1/targets", key: "pd_valid" })).statusCode).toBe(200);

  const revoked: RawConnection[] = [];
  const askFrom = async (address: string, key: string) => {
    const headers = { authorization: `Bearer ${key}`, "x-forwarded-for": address };
    revoked.push(...(await begin(1, head("GET", "/v1/targets", headers))));
  };
  for (let index = 0; index < 12; index++) await askFrom("192.0.2.1", `pd_revoked_${index}`);
  // One address may have three of four places.
  await settled(() => countOf(revoked, 503) === 9);
  expect(new Set(shed)).toEqual(new Set(["strangers"]));

  const asking = head("POST", "/v1/messages", { ...chunked, authorization: "Bearer pd_valid" });
  const bodies = await begin(4, asking);
  await settled(() => bodies.every(({ peer }) => peer!.bytesRead === asking.length));
  for (const { send } of bodies) send("0\r\n\r\n");
  await settled(() => countOf(bodies, 0) === 0);
  // One account may have three of four places too.
  expect(statuses(bodies).toSorted((one, other) => one - other)).toEqual([400, 400, 400, 503]);

  await askFrom("192.0.2.2", "pd_revoked_elsewhere");
  lookUps.resolve(undefined);
  await settled(() => countOf(revoked, 401) === 4);
  expect(statuses(revoked).at(-1)).toBe(401);
});

describe("bytes of bodies", () => {
  const asking = (key: string, path: string, headers: object) =>
    head("POST", path, { ...json, ...headers, authorization: `Bearer ${key}` });

  test("count as they arrive: announced bytes count for nothing", async () => {
    await open({ bodyBudgetBytes: 64 * megabyte });
    const [one, other] = [await account(), await account()];
    const announced = { "content-length": 16 * megabyte };
    await begin(100, asking(one.key, "/v1/messages/batch", announced), "{");
    expect(await one.scheduleLarge(4 * megabyte)).toBe(200);
    expect(await other.scheduleLarge(4 * megabyte)).toBe(200);
    expect(shed).toEqual([]);
  });

  test("one account leaves as much as it takes, and small bodies have a budget of their own", async () => {
    await open({ bodyBudgetBytes: 32 * megabyte });
    const [hog, other] = [await account(), await account()];
    const announced = { "content-length": 5 * megabyte };
    const nearly = " ".repeat(3.5 * megabyte);
    const bodies = await begin(10, asking(hog.key, "/v1/messages/batch", announced), nearly);
    // Large bodies have 24 MiB. One account may take 12 of them.
    await settled(() => countOf(bodies, 503) === 7);
    const left = bodies.filter(({ text }) => text() === "");
    await settled(() => left.every(({ peer }) => peer!.bytesRead > 3.5 * megabyte));
    const [next] = await begin(1, asking(hog.key, "/v1/messages/batch", announced));
    // It is told so before it sends anything.
    expect(await next!.received(/E-DI-9002/)).toMatch(/^HTTP\/1.1 503 /);
    expect(await hog.scheduleLarge(2 * megabyte)).toBe(503);
    expect(await hog.schedule()).toBe(200);
    expect(await other.scheduleLarge(5 * megabyte)).toBe(200);
    expect(await other.schedule()).toBe(200);
    expect(new Set(shed)).toEqual(new Set(["bodies"]));
  });

  test("an account with nothing under way has room for a message, whatever the others hold", async () => {
    // A quarter of the budget is for small bodies: enough for one body of this length, not for two.
    await open({ bodyBudgetBytes: megabyte });
    const [hog, other] = [await account(), await account()];
    const announced = { "content-length": 200_000 };
    const [held] = await begin(1, asking(hog.key, "/v1/messages", announced), " ".repeat(199_999));
    await settled(() => held!.peer!.bytesRead > 199_999);
    const message = { targetId: "t", deliveryTime: "2999-01-01T00:00:00Z", payload: "in time" };
    const text = JSON.stringify(message).padEnd(200_000);
    const [sent] = await begin(1, asking(other.key, "/v1/messages", announced), text);
    expect(await sent!.received(/\r\n\r\n\{/)).toMatch(/^HTTP\/1.1 200 /);
  });

  test("in small pieces: each piece counts for what it costs", async () => {
    await open({ bodyBudgetBytes: 4 * megabyte });
    const { key, schedule } = await account();
    const pieces = `80\r\n${" ".repeat(128)}\r\n`.repeat(4_000);
    const chunks = { "transfer-encoding": "chunked" };
    const [slow] = await begin(1, asking(key, "/v1/messages", chunks), pieces);
    expect(await slow!.received(/E-DI-9002/)).toMatch(/^HTTP\/1.1 503 /);
    expect(await schedule()).toBe(200);
  });

  test("a body that is turned away halfway is read to its end, and the connection stays open", async () => {
    await open({ bodyBudgetBytes: 2 * megabyte });
    const { key } = await account();
    const chunks = { "transfer-encoding": "chunked" };
    const block = `${(65_536).toString(16)}\r\n${" ".repeat(65_536)}\r\n`;
    const [long] = await begin(
      1,
      asking(key, "/v1/messages/batch", chunks),
      `${block.repeat(24)}0\r\n\r\n`,
    );
    long!.send(head("GET", "/healthz"));
    const answers = await long!.received(/"status":"ok"/);
    expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 503", "HTTP/1.1 200"]);
  });
});

describe("before the service is ready", () => {
  test("the API answers 503 with Retry-After, and health answers", async () => {
    let started = false;
    await open({ hasStarted: () => started });
    const early = await api.call({ method: "GET", url: "/v1/keys" });
    expect([early.statusCode, early.headers["retry-after"]]).toEqual([503, "1"]);
    expect(early.json().errors).toEqual([
      { code: "E-DI-9002", message: expect.stringContaining("is starting") },
    ]);
    const token = await api.call({ method: "POST", url: "/oauth/token", key: null });
    expect([token.statusCode, token.json().error]).toEqual([503, "temporarily_unavailable"]);
    expect((await api.call({ method: "GET", url: "/healthz" })).statusCode).toBe(200);
    expect(shed).toEqual([]);
    started = true;
    expect((await api.call({ method: "GET", url: "/v1/keys" })).statusCode).toBe(200);
  });
});
