import { afterEach, describe, expect, test } from "vitest";
import { systemClock } from "../../platform/clock.ts";
import type { HttpOptions } from "../http-options.ts";
import { openTestApi, operatorKey } from "../testing/open-test-api.ts";
import type { TestApi } from "../testing/open-test-api.ts";
import { createAuthenticator } from "./authenticate.ts";

const ownPage = { "sec-fetch-site": "same-origin", "postdate-console": "1" };
type Headers = Readonly<Record<string, string>>;

let api: TestApi;
afterEach(() => api.close());

async function open(
  limits: Partial<HttpOptions["limits"]> = {},
  changes: Partial<HttpOptions> = {},
): Promise<void> {
  api = await openTestApi({
    limits: {
      maxRequests: 1_000,
      maxLoopDelayMs: Infinity,
      tokenRequestLimit: { max: 1_000, intervalMs: 1_000 },
      trustProxies: ["127.0.0.1/32"],
      publicUrl: null,
      ...limits,
    },
    ...changes,
  });
}

const signIn = (headers: Headers = {}, key = api.rootKey) =>
  api.call({
    method: "POST",
    url: "/v1/session",
    key: null,
    headers: { ...ownPage, ...headers },
    body: { key },
  });
const read = (headers: Headers) => api.call({ url: "/v1/session", key: null, headers });

describe("behind a proxy that ends TLS", () => {
  const forwarded = { "x-forwarded-proto": "https", "x-forwarded-host": "postdate.example" };

  test.each<[string, string | null, Headers]>([
    ["a public URL", "https://postdate.example/prefix", { host: "node-1:7070" }],
    ["a trusted proxy", null, { host: "node-1:7070", ...forwarded }],
    [
      "a trusted proxy that keeps Host",
      null,
      { ...forwarded, "x-forwarded-host": "", host: "postdate.example" },
    ],
  ])("%s makes a cookie that needs TLS, and names our origin", async (_, publicUrl, headers) => {
    await open({ publicUrl });
    const answer = await signIn(headers);
    expect(answer.headers["set-cookie"]).toMatch(
      /^__Host-postdate=pdc_[\w-]{55}; Path=\/; Max-Age=43200; HttpOnly; Secure; SameSite=Strict$/,
    );
    const [cookie] = String(answer.headers["set-cookie"]).split(";");
    const with_ = async (more: Headers) =>
      (await read({ ...headers, cookie: cookie!, ...more })).statusCode;
    expect(await with_({ "sec-fetch-site": "same-origin" })).toBe(200);
    expect(await with_({ origin: "https://postdate.example" })).toBe(200);
    expect(await with_({ origin: "http://postdate.example" })).toBe(401);
    expect(await with_({ origin: "https://postdate.example:444" })).toBe(401);
  });

  test("a proxy that nobody trusts is not believed", async () => {
    await open({ trustProxies: [] });
    const answer = await signIn({ host: "node-1:7070", ...forwarded });
    expect(answer.statusCode).toBe(400);
    expect(answer.headers["set-cookie"]).toBeUndefined();
  });
});

describe("tries to sign in", () => {
  test("are limited by address, right keys and wrong ones alike", async () => {
    let limited = 0;
    await open(
      { tokenRequestLimit: { max: 3, intervalMs: 60_000 } },
      {
        clock: { now: () => systemClock.now(), monotonic: () => 0 },
        observer: { answered() {}, shed() {}, limited: () => void limited++ },
      },
    );
    const from = async (address: string, key?: string) =>
      (await signIn({ "x-forwarded-for": address }, key)).statusCode;
    expect(await from("192.0.2.1", "pd_wrong")).toBe(401);
    expect(await from("192.0.2.1")).toBe(200);
    expect(await from("192.0.2.1", "pd_wrong")).toBe(401);
    const beyond = await signIn({ "x-forwarded-for": "192.0.2.1" });
    expect(beyond.statusCode).toBe(429);
    expect(beyond.headers).toMatchObject({
      "retry-after": "20",
      ratelimit: '"sign-ins";r=0;t=20',
    });
    expect(beyond.json<{ errors: { code: string }[] }>().errors[0]!.code).toBe("E-DI-2003");
    expect(limited).toBe(1);
    expect(await from("192.0.2.2")).toBe(200);
  });

  test("of a page of another origin use up nothing of the address", async () => {
    await open({ tokenRequestLimit: { max: 3, intervalMs: 86_400_000 } });
    for (let count = 0; count < 5; count++) {
      expect((await signIn({ "sec-fetch-site": "cross-site" })).statusCode).toBe(400);
    }
    expect((await signIn()).statusCode).toBe(200);
  });

  test("count against the limit of their account", async () => {
    await open();
    const requestLimit = { max: 2, intervalMs: 86_400_000 };
    const made = await api.call({
      method: "POST",
      url: "/v1/accounts",
      body: { requestLimit },
      key: operatorKey,
    });
    const { key } = made.json<{ key: string }>();
    const statuses: number[] = [];
    for (let count = 0; count < 3; count++) statuses.push((await signIn({}, key)).statusCode);
    expect(statuses).toEqual([200, 200, 429]);
  });
});

test("the code of a link signs in once, as its key would, and nowhere else", async () => {
  const code = `pdl_${"c".repeat(43)}`;
  const signInLink = { code, key: "" };
  await open({}, { signInLink });
  signInLink.key = api.rootKey;
  const asKey = await api.call({ url: "/v1/session", key: code });
  expect(asKey.statusCode).toBe(401);
  expect((await signIn({ "sec-fetch-site": "cross-site" }, code)).statusCode).toBe(400);
  expect((await signIn({}, `${code}c`)).statusCode).toBe(401);
  const answers = await Promise.all([1, 2, 3].map(() => signIn({}, code)));
  expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
  expect(answers.filter(({ statusCode }) => statusCode === 401)).toHaveLength(2);
  expect((await signIn()).statusCode).toBe(200);
});

test("a made-up cookie costs no look-up, and a session that has ended one in a second", async () => {
  const lookUps: string[] = [];
  const ended = `pdc_${"E".repeat(55)}`;
  const authenticator = createAuthenticator({
    findCredential: async (bearer) => {
      lookUps.push(bearer);
      return undefined;
    },
    isMarkedKey: (key) => key === ended,
    operatorKey,
    clock: { now: () => systemClock.now(), monotonic: () => 0 },
    rememberMs: Infinity,
  });
  await open({}, { authenticator });
  const status = async (id: string) =>
    (await read({ "sec-fetch-site": "same-origin", cookie: `postdate-loopback=${id}` })).statusCode;
  for (let count = 0; count < 50; count++) {
    const id = `pdc_${String(count).padStart(55, "x")}`;
    expect(await status(id)).toBe(401);
  }
  expect(lookUps).toEqual([]);
  for (let count = 0; count < 5; count++) expect(await status(ended)).toBe(401);
  expect(lookUps).toEqual([ended]);
});
