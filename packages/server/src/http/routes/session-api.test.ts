import type { LightMyRequestResponse } from "fastify";
import { beforeAll, describe, expect, test } from "vitest";
import { mostSessionsOfKey } from "../../domain/session.ts";
import { operatorKey } from "../testing/open-test-api.ts";
import { sharedTestApi } from "../testing/shared-test-api.ts";

const api = sharedTestApi();

/** What a browser adds to a request of a page, and what the console adds itself. */
const ownPage = { "sec-fetch-site": "same-origin", "postdate-console": "1" };
type Headers = Readonly<Record<string, string>>;

const signIn = (key: string, headers: Headers = ownPage, body: object = { key }) =>
  api.call({ method: "POST", url: "/v1/session", key: null, headers, body });

function cookieOf(answer: LightMyRequestResponse): string {
  const [cookie] = String(answer.headers["set-cookie"]).split(";");
  return cookie!;
}

async function signedIn(key: string): Promise<string> {
  const answer = await signIn(key);
  expect(answer.statusCode, answer.body).toBe(200);
  return cookieOf(answer);
}

const withCookie = (cookie: string, method: "GET" | "POST" | "DELETE", url: string, more = {}) =>
  api.call({ method, url, key: null, headers: { ...ownPage, cookie, ...more } });
const statusWith = async (cookie: string) =>
  (await withCookie(cookie, "GET", "/v1/session")).statusCode;

let key: string;
let cookie: string;
beforeAll(async () => {
  key = await api.keyWith("scheduler.messages.readwrite");
  cookie = await signedIn(key);
});

describe("signing in", () => {
  test("answers with the session, and sets a cookie that no script can read", async () => {
    const answer = await signIn(key);
    const { keyId } = (await api.call({ url: "/v1/keys" }))
      .json<{ items: { keyId: string; scopes: string[] }[] }>()
      .items.find(({ scopes }) => scopes[0] === "scheduler.messages.readwrite")!;
    const session = answer.json<{ creationTime: string; expirationTime: string }>();
    expect(session).toEqual({
      accountId: "acc_default",
      keyId,
      scopes: ["scheduler.messages.readwrite"],
      creationTime: expect.any(String),
      expirationTime: expect.any(String),
    });
    const lifetimeMs = Date.parse(session.expirationTime) - Date.parse(session.creationTime);
    expect(lifetimeMs).toBe(12 * 3_600_000);
    expect(answer.headers["set-cookie"]).toMatch(
      /^postdate-loopback=pdc_[\w-]{55}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    );
    expect(answer.headers["cache-control"]).toBe("no-store");
    const read = await withCookie(cookieOf(answer), "GET", "/v1/session");
    expect(read.json()).toEqual(session);
  });

  test.each([
    ["an unknown key", () => "pd_unknown"],
    ["an access token", () => "a.b.c"],
    ["a session", () => cookie.split("=")[1]!],
    ["a key that is somewhere in the text", () => `${key},${key}`],
  ])("%s is refused in the same words", async (_, wrong) => {
    const answer = await signIn(wrong());
    expect(answer.statusCode).toBe(401);
    expect(answer.headers["set-cookie"]).toBeUndefined();
    expect(answer.json()).toEqual({
      errors: [
        {
          code: "E-DI-2001",
          message: "The key is malformed, revoked or unknown. Sign in with an API key (pd_…).",
          field: "key",
        },
      ],
    });
  });

  test("the operator's key is told that it has no account", async () => {
    const answer = await signIn(operatorKey);
    expect(answer.statusCode).toBe(403);
    expect(answer.headers["set-cookie"]).toBeUndefined();
  });

  test.each<[string, object]>([
    ["no key", {}],
    ["an empty key", { key: "" }],
    ["a key that is no text", { key: 1 }],
    ["a space", { key: "pd_ a" }],
    ["a longer one than any key", { key: `pd_${"a".repeat(254)}` }],
    ["an id of the caller's choice", { key: "pd_a", sessionId: "pdc_mine" }],
  ])("%s is a wrong request", async (_, body) => {
    const answer = await signIn("", ownPage, body);
    expect(answer.statusCode).toBe(400);
    expect(answer.json<{ errors: { code: string }[] }>().errors[0]!.code).toBe("E-DI-1001");
  });

  test("a key has a limited number of sessions: one more ends the oldest", async () => {
    const own = await api.keyWith("scheduler.all.read");
    const cookies: string[] = [];
    for (let count = 0; count <= mostSessionsOfKey; count++) cookies.push(await signedIn(own));
    const statuses = await Promise.all(cookies.map(statusWith));
    expect(statuses.filter((status) => status === 200)).toHaveLength(mostSessionsOfKey);
    expect(statuses.at(-1)).toBe(200);
    expect(await statusWith(cookie)).toBe(200);
  });

  test("a remembered session that is displaced opens nothing from then on", async () => {
    const own = await api.keyWith("scheduler.all.read");
    const first = await signedIn(own);
    expect(await statusWith(first)).toBe(200);
    // Sessions of one millisecond have no order, so enough of them are made to be sure.
    for (let count = 0; count < 2 * mostSessionsOfKey; count++) await signedIn(own);
    expect((await withCookie(first, "GET", "/v1/targets")).statusCode).toBe(401);
  });
});

describe("a session", () => {
  test("allows what its key allows, and no more", async () => {
    const found = await withCookie(cookie, "GET", "/v1/messages?targetId=t");
    expect(found.statusCode).toBe(200);
    const targets = await withCookie(cookie, "GET", "/v1/targets");
    expect(targets.statusCode).toBe(403);
    const accounts = await withCookie(cookie, "GET", "/v1/accounts");
    expect(accounts.statusCode).toBe(403);
  });

  test("ends once, at once, and takes its cookie along", async () => {
    const own = await signedIn(key);
    const ended = await withCookie(own, "DELETE", "/v1/session");
    expect(ended.statusCode).toBe(200);
    expect(ended.json()).toMatchObject({ accountId: "acc_default" });
    expect(ended.headers["set-cookie"]).toBe(
      "postdate-loopback=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict",
    );
    expect(await statusWith(own)).toBe(401);
    expect((await withCookie(own, "DELETE", "/v1/session")).statusCode).toBe(401);
    expect(await statusWith(cookie)).toBe(200);
  });

  test("is in the audit log, from its beginning to its end", async () => {
    const own = await api.keyWith("scheduler.all.read");
    await withCookie(await signedIn(own), "DELETE", "/v1/session");
    const { items } = (await api.call({ url: "/v1/audit-log?limit=2" })).json<{
      items: { action: string; actor: { id: string }; subjectId: string }[];
    }>();
    const actions = items.map(({ action }) => action).toSorted();
    expect(actions).toEqual(["session.created", "session.ended"]);
    for (const { actor, subjectId } of items) expect(subjectId).toBe(actor.id);
  });

  test("of a suspended account can only be ended", async () => {
    const asOperator = (url: string, body?: object) =>
      api.call({ method: "POST", url, key: operatorKey, ...(body && { body }) });
    const made = await asOperator("/v1/accounts", { accountId: "suspended" });
    const own = await signedIn(made.json<{ key: string }>().key);
    await asOperator("/v1/accounts/suspended/suspend");
    expect(await statusWith(own)).toBe(403);
    expect((await withCookie(own, "DELETE", "/v1/session")).statusCode).toBe(200);
    await asOperator("/v1/accounts/suspended/resume");
    expect(await statusWith(own)).toBe(401);
  });

  test("is a cookie's: neither read nor ended by a key", async () => {
    for (const method of ["GET", "DELETE"] as const) {
      const answer = await api.call({ method, url: "/v1/session", headers: ownPage });
      expect(answer.statusCode).toBe(403);
      const asOperator = { method, url: "/v1/session", headers: ownPage, key: operatorKey };
      expect((await api.call(asOperator)).statusCode).toBe(403);
    }
  });
});

describe("a cookie counts", () => {
  const headers = (given: Headers) => api.call({ url: "/v1/session", key: null, headers: given });

  test.each<[string, Headers]>([
    ["Sec-Fetch-Site: same-origin", { "sec-fetch-site": "same-origin" }],
    ["an older browser's Origin", { origin: "http://localhost" }],
    ["other cookies around it", { "sec-fetch-site": "same-origin", cookie: "a=b; {}; c=d" }],
  ])("with %s", async (_, given) => {
    const around = given["cookie"]?.replace("{}", cookie) ?? cookie;
    expect((await headers({ ...given, cookie: around })).statusCode).toBe(200);
  });

  test.each<[string, Headers]>([
    ["none of them", {}],
    ["Sec-Fetch-Site: same-site", { "sec-fetch-site": "same-site" }],
    ["Sec-Fetch-Site: cross-site", { "sec-fetch-site": "cross-site" }],
    ["Sec-Fetch-Site: none", { "sec-fetch-site": "none" }],
    ["Sec-Fetch-Site twice", { "sec-fetch-site": "same-origin, cross-site" }],
    ["cross-site and our Origin", { "sec-fetch-site": "cross-site", origin: "http://localhost" }],
    ["another port", { origin: "http://localhost:81" }],
    ["another scheme", { origin: "https://localhost" }],
    ["an Origin that is null", { origin: "null" }],
    ["another host", { origin: "http://localhost.example.com" }],
    ["only the console's header", { "postdate-console": "1" }],
  ])("not with %s", async (_, given) => {
    const answer = await headers({ ...given, cookie });
    expect(answer.statusCode).toBe(401);
    const [problem] = answer.json<{ errors: { code: string }[] }>().errors;
    expect(problem).toMatchObject({ code: "E-DI-2001" });
  });

  test("for a change only with the console's header", async () => {
    for (const marks of [{}, { "postdate-console": "0" }, { "postdate-console": "1, 1" }]) {
      const answer = await api.call({
        method: "DELETE",
        url: "/v1/session",
        key: null,
        headers: { "sec-fetch-site": "same-origin", cookie, ...marks },
      });
      expect(answer.statusCode).toBe(401);
    }
    expect(await statusWith(cookie)).toBe(200);
  });

  test("alone: beside any Authorization the request is refused", async () => {
    for (const authorization of [`Bearer ${key}`, "Bearer pd_unknown", "Basic YTpi", ""]) {
      const answer = await withCookie(cookie, "GET", "/v1/session", { authorization });
      expect(answer.statusCode, authorization).toBe(400);
    }
  });

  test("once: two of them are refused, whichever is good", async () => {
    const other = await signedIn(key);
    for (const two of [
      `${cookie}; ${other}`,
      `${cookie}; ${cookie}`,
      `postdate-loopback=; ${cookie}`,
    ]) {
      expect(await statusWith(two)).toBe(401);
    }
  });

  const otherThan = (letter: string): string => (letter === "_" ? "-" : "_");

  test.each([
    ["an API key", () => key],
    ["the operator's key", () => operatorKey],
    ["nothing", () => ""],
    ["an id without its mark", () => cookie.split("=")[1]!.slice(0, -12)],
    ["an id with another mark", () => cookie.split("=")[1]!.replace(/.$/, otherThan)],
    ["an id in quotes", () => `"${cookie.split("=")[1]}"`],
  ])("only as a session: %s in it opens nothing", async (_, value) => {
    expect(await statusWith(`postdate-loopback=${value()}`)).toBe(401);
    for (const url of ["/v1/messages", "/v1/accounts"]) {
      const answer = await withCookie(`postdate-loopback=${value()}`, "GET", url);
      expect(answer.statusCode).toBe(401);
    }
  });

  test("only as a cookie: as a bearer it opens nothing, remembered or not", async () => {
    const [, id] = cookie.split("=");
    expect(await statusWith(cookie)).toBe(200);
    for (const authorization of [`Bearer ${id}`, `bearer  ${id} `, `Session ${id}`]) {
      const given = { method: "GET", url: "/v1/targets", headers: { authorization } } as const;
      expect((await api.call({ ...given, key: null })).statusCode).toBe(401);
    }
  });

  test("only under the name of its site", async () => {
    const [, id] = cookie.split("=");
    for (const name of ["__Host-postdate", "Postdate-Loopback", "xpostdate-loopback"]) {
      expect(await statusWith(`${name}=${id}`)).toBe(401);
    }
    // Another site's cookie is not looked at, so it does not get in the way of a key.
    const beside = { cookie: `__Host-postdate=${id}` };
    expect((await api.call({ url: "/v1/targets", headers: beside })).statusCode).toBe(200);
  });
});
