import { inspect } from "node:util";
import { afterEach, describe, expect, test, vi } from "vitest";
import packageJson from "../package.json" with { type: "json" };
import { InputError, Postdate } from "../src/index.ts";
import type { Fetch } from "../src/index.ts";
import { answer, messageOf, page, scriptedServers, silence } from "./support/scripted-server.ts";

const serverWith = scriptedServers();
afterEach(() => vi.unstubAllEnvs());

const key = "pd_very-secret";

describe("by default", () => {
  test("the address and the key come from the environment", async () => {
    const server = await serverWith(answer(200, messageOf("m")));
    vi.stubEnv("POSTDATE_URL", `${server.url}/`);
    vi.stubEnv("POSTDATE_KEY", `${key}\n`);
    await new Postdate().messages.get("m");
    expect(server.received[0]?.headers).toMatchObject({
      authorization: `Bearer ${key}`,
      "user-agent": `postdate-client/${packageJson.version}`,
    });
  });

  test("the address is the one of a new server", () => {
    vi.stubEnv("POSTDATE_URL", "");
    expect(new Postdate().url).toBe("http://127.0.0.1:7070");
  });

  test("options win over the environment", async () => {
    vi.stubEnv("POSTDATE_KEY", "pd_other");
    vi.stubEnv("POSTDATE_URL", "http://127.0.0.1:1");
    const server = await serverWith(answer(200, messageOf("m")));
    await new Postdate({ url: server.url, key }).messages.get("m");
    expect(server.received[0]?.headers.authorization).toBe(`Bearer ${key}`);
    expect(() => new Postdate({ clientId: "c", clientSecret: "s" })).not.toThrow();
  });

  test("a client without a key says what to do when it needs one", async () => {
    vi.stubEnv("POSTDATE_KEY", undefined);
    const server = await serverWith(answer(200, { status: "ok", version: "1" }));
    const postdate = new Postdate({ url: server.url });
    expect(await postdate.health()).toMatchObject({ status: "ok" });
    await expect(postdate.usage()).rejects.toThrow(
      "Give new Postdate() a key, or set POSTDATE_KEY.",
    );
  });
});

test("an option that is undefined is as good as none", async () => {
  const server = await serverWith(answer(200, messageOf("m")));
  const none = { url: server.url, key, timeoutMs: undefined, retry: undefined, headers: undefined };
  const postdate = new Postdate({ ...none, gather: undefined, fetch: undefined });
  const call = { timeoutMs: undefined, signal: undefined, headers: undefined };
  await postdate.messages.get("m", call);
  await postdate.targets.test("t", undefined, call);
  expect(server.received).toHaveLength(2);
});

test("an address may have a path, and requests may have headers of their own", async () => {
  const server = await serverWith(answer(200, messageOf("m")));
  const url = `${server.url}/postdate/`;
  const postdate = server.client({ url, headers: { "x-all": "1", "User-Agent": "shop/2.0" } });
  await postdate.messages.get("m", { headers: { "X-One": "2" } });
  expect(server.received[0]).toMatchObject({
    path: "/postdate/v1/messages/m",
    headers: {
      "x-all": "1",
      "x-one": "2",
      "user-agent": "shop/2.0",
    },
  });
});

test.each(["/v1", "/v1/", "//"])("an address may end in %s", async (end) => {
  const server = await serverWith(answer(200, messageOf("m")));
  const postdate = server.client({ url: server.url + end });
  await postdate.messages.get("m");
  expect(server.received[0]?.path).toBe("/v1/messages/m");
  expect(postdate.url).toBe(server.url);
});

test("a key together with a client does not compile", () => {
  // @ts-expect-error One of them would not be used.
  expect(() => new Postdate({ key, clientId: "c", clientSecret: "s" })).toThrow(InputError);
});

describe("bad options are refused at once", () => {
  test.each<[string, object, RegExp]>([
    ["url without a scheme", { url: "postdate.example.com" }, /url must be like https/],
    ["url of another kind", { url: "ftp://example.com" }, /url must be like https/],
    ["url with a password", { url: `https://me:${key}@example.com` }, /without user/],
    ["url with a query", { url: `https://example.com?key=${key}` }, /without user/],
    ["key with a space", { key: `${key} x` }, /visible ASCII/],
    ["key with a line break", { key: `${key}\n` }, /visible ASCII/],
    ["an empty key", { key: "" }, /visible ASCII/],
    ["key and client", { key, clientId: "c", clientSecret: "s" }, /either key, or both/],
    ["client without its secret", { clientId: "c" }, /either key, or both/],
    ["secret without its client", { clientSecret: "s" }, /either key, or both/],
    ["timeoutMs of 0", { timeoutMs: 0 }, /timeoutMs must be/],
    ["timeoutMs that is a text", { timeoutMs: "5" }, /timeoutMs must be/],
    ["tries of 0", { retry: { tries: 0 } }, /retry must be/],
    ["negative waits", { retry: { initialMs: -1 } }, /retry must be/],
    ["a name that there is not", { apiKey: key }, /There is no option apiKey/],
    ["a name that retry has not", { retry: { attempts: 3 } }, /There is no option attempts/],
    ["fetch that is none", { fetch: {} }, /fetch must be a function/],
    ["authorization", { headers: { Authorization: key } }, /cannot have authorization/],
    ["header with a line break", { headers: { "x-a": `${key}\r\nx: y` } }, /cannot be sent/],
    ["header with a bad name", { headers: { "x a": "1" } }, /cannot be sent/],
  ])("%s", (_, options, message) => {
    const make = (): Postdate => new Postdate(options);
    expect(make).toThrow(InputError);
    expect(make).toThrow(message);
    expect(make).not.toThrow(key);
  });

  test("of a call too, before anything is sent", async () => {
    const server = await serverWith(answer(200, messageOf("m")));
    const { messages } = server.client();
    const input = { targetId: "t", in: 1, payload: "" };
    const bad = [
      messages.get("m", { timeoutMs: -1 }),
      messages.get("m", { headers: { authorization: "x" } }),
      messages.schedule(input, { idempotencyKey: "" }),
      messages.schedule(input, { idempotencyKey: "with space" }),
      messages.schedule(input, { idempotencyKey: "x".repeat(256) }),
      messages.schedule({ ...input, idempotencyKey: "with space" }),
      messages.schedule(input, { delay: 5 } as object),
      messages.get("m", { timeout: 5 } as object),
      messages.get(5n as never),
      messages.reschedule("m", 5_000 as never),
      messages.reschedule("m", { delayMs: 5n as never }),
      messages.scheduleBatch([{ targetId: "t", delayMs: 5n as never, payload: "" }]),
      server.client().targets.update("t", { timeoutMs: 5n as never }),
      server.client().targets.list({ pageToken: "a" }, { timeoutMs: 0 }).page(),
      server
        .client()
        .targets.scheduled("t", { minTime: new Date(Number.NaN) })
        .page(),
    ];
    for (const call of bad) await expect(call).rejects.toBeInstanceOf(InputError);
    expect(server.received).toEqual([]);
  });
});

test("an unknown option is named", async () => {
  const { messages } = (await serverWith(silence)).client();
  const input = { targetId: "t", in: 1, payload: "" };
  await expect(messages.schedule(input, { delay: 5 } as object)).rejects.toThrow(
    "There is no option delay",
  );
});

test("errors show what they have, and no more", async () => {
  const server = await serverWith(page(200), silence);
  const { messages } = server.client();
  const foreign: unknown = await messages.get("m").catch((error: unknown) => error);
  const late: unknown = await messages.get("m", { timeoutMs: 1 }).catch((error: unknown) => error);
  expect(inspect(foreign)).toMatch(/^ConnectionError: http.*not from Postdate/);
  for (const error of [foreign, late]) expect(inspect(error)).not.toContain("undefined");
});

test("neither the client nor its errors show the credential", async () => {
  const spilling: Fetch = (_, init) => {
    const body = String(init.body as URLSearchParams | null);
    const sent = `${new Headers(init.headers).get("authorization")} ${body} ${inspect(init)}`;
    return Promise.reject(new TypeError("failed", { cause: new Error(`sent ${sent}`) }));
  };
  const clientSecret = "pds_very+secret/";
  const shown: string[] = [];
  for (const options of [{ key }, { clientId: "c", clientSecret }]) {
    const postdate = new Postdate({ ...options, fetch: spilling, retry: false });
    const error: unknown = await postdate.usage().catch((error: unknown) => error);
    for (const thing of [postdate, ...Object.values(postdate), error]) {
      shown.push(inspect(thing, { depth: 20, showHidden: true, getters: true }));
      shown.push(JSON.stringify(thing), String(thing));
    }
  }
  const text = shown.join("\n");
  expect(text).toContain("sent Bearer [credential]");
  expect(text).not.toContain(key);
  expect(text).toContain("client_id=c&[credential]");
  expect(text).not.toContain("pds_very");
});
