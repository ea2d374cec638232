import { beforeAll, describe, expect, test } from "vitest";
import { expectRefusal } from "../support/expectations.ts";
import { rawRequest } from "../support/raw-request.ts";
import { farAway } from "../support/shared-service.ts";
import { browserOf, ownPage } from "./browser.ts";
import { comparable } from "./comparable.ts";
import { documentedRoutes } from "./documented-routes.ts";
import type { Subject } from "./subject.ts";

const everything = ["scheduler.all.readwrite"];

/** A browser sends its cookie with every request, whoever wanted it. Each attack here must come to nothing. */
export function sessionsSuite(subject: Subject): void {
  const { service } = subject;
  const { signIn, cookieFor, ask } = browserOf(subject);
  let key: string;
  let accountId: string;
  let cookie: string;
  beforeAll(async () => {
    ({ key, accountId } = await subject.account());
    cookie = await cookieFor(key);
    const body = { targetId: "t", url: service.receiver.url };
    expect((await ask(cookie, "POST", "/v1/targets", body)).status).toBe(200);
  });
  const isPaused = async (): Promise<boolean> =>
    (await service.ok("GET", "/v1/targets/t", { key })).paused;
  const statusOf = async (given: string) => (await ask(given, "GET", "/v1/session")).status;

  describe("a page of another origin", () => {
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const text = { "content-type": "text/plain" };
    const json = { "content-type": "application/json" };
    const foreign = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };
    const sibling = { "sec-fetch-site": "same-site", origin: "http://127.0.0.1:1" };
    const old = { origin: "https://evil.example" };

    test.each<[string, Readonly<Record<string, string>>]>([
      ["a form", { ...foreign, ...form }],
      ["a form with JSON as its text", { ...foreign, ...text }],
      ["a form of an old browser", { ...old, ...form }],
      ["a form of a sandbox", { origin: "null", ...form }],
      ["a form of another port of the same host", { ...sibling, ...form }],
      ["a fetch without the console's header", { ...foreign, ...json }],
      ["a fetch with it", { ...foreign, ...json, "postdate-console": "1" }],
      ["a fetch of an old browser with it", { ...old, ...json, "postdate-console": "1" }],
      ["a fetch from another port with it", { ...sibling, ...json, "postdate-console": "1" }],
      ["a form of an own page", { "sec-fetch-site": "same-origin", ...form }],
      ["a fetch of an own page without it", { "sec-fetch-site": "same-origin", ...json }],
      ["a request that says nothing of its page", { ...json, "postdate-console": "1" }],
    ])("%s pauses no target", async (_, headers) => {
      const answer = await service.api("POST", "/v1/targets/t/pause", {
        key: null,
        headers: { ...headers, cookie },
        body: "{}",
      });
      expect(await isPaused()).toBe(false);
      expectRefusal(answer, 401, { code: "E-DI-2001" });
    });

    test.each<[string, Readonly<Record<string, string>>]>([
      ["a form", { ...foreign, ...form }],
      ["a form of an old browser", { ...old, ...text }],
      ["a fetch", { ...foreign, ...json, "postdate-console": "1" }],
      ["an own page without the header", { "sec-fetch-site": "same-origin", ...json }],
    ])("%s signs nobody in, not even with a good key", async (_, headers) => {
      const answer = await service.api("POST", "/v1/session", {
        key: null,
        headers,
        body: JSON.stringify({ key }),
      });
      expect(answer.headers.get("set-cookie")).toBeNull();
      expectRefusal(answer, 400, { code: "E-DI-1001" });
    });

    test("reads nothing, and gets no leave to ask", async () => {
      for (const method of ["OPTIONS", "GET"]) {
        const answer = await service.api(method, "/v1/session", {
          key: null,
          headers: {
            ...foreign,
            cookie,
            "access-control-request-method": "DELETE",
            "access-control-request-headers": "postdate-console",
          },
        });
        expect(answer.status).toBeGreaterThanOrEqual(400);
        const names = [...answer.headers.keys()];
        expect(names.filter((name) => name.startsWith("access-control-"))).toEqual([]);
      }
    });
  });

  describe("another account", () => {
    test("is closed to a cookie, in the words for what does not exist", async () => {
      const other = await subject.account();
      await service.ok("POST", "/v1/targets", {
        key: other.key,
        body: { targetId: "theirs", url: service.receiver.url },
      });
      const body = { targetId: "theirs", deliveryTime: farAway, payload: "p" };
      const { messageId } = await service.ok("POST", "/v1/messages", { key: other.key, body });
      for (const path of ["/v1/targets/theirs", `/v1/messages/${messageId}`]) {
        const theirs = await ask(cookie, "GET", path);
        const nobodys = await ask(cookie, "GET", `${path.slice(0, -1)}0`);
        expect(theirs.status).toBe(404);
        expect(comparable(theirs, ["theirs"])).toEqual(comparable(nobodys, ["their0"]));
      }
      const ofOther = await cookieFor(other.key);
      expect((await ask(ofOther, "GET", "/v1/targets/t")).status).toBe(404);
      expect((await ask(ofOther, "GET", "/v1/session")).body.accountId).toBe(other.accountId);
      expect((await ask(cookie, "GET", "/v1/session")).body.accountId).toBe(accountId);
    });

    test("a cookie is not the operator", async () => {
      const operators = documentedRoutes.filter(
        ({ of, method, parameters }) =>
          of === "operator" && method === "GET" && parameters.length === 0,
      );
      expect(operators.length).toBeGreaterThan(1);
      for (const { method, path } of operators) {
        expectRefusal(await ask(cookie, method, path), 403, { code: "E-DI-2002" });
      }
    });
  });

  describe("fixation", () => {
    test("whatever cookie a browser brings, it gets another one", async () => {
      const planted = `${cookie.slice(0, -3)}aaa`;
      const brought = [cookie, planted, "postdate-loopback=chosen"];
      for (const given of brought) {
        const answer = await signIn(key, { ...ownPage, cookie: given });
        const made = answer.headers.get("set-cookie")!.split(";", 1)[0]!;
        expect(brought).not.toContain(made);
        expect(await statusOf(made)).toBe(200);
      }
      expect(await statusOf(planted)).toBe(401);
      expect(await statusOf("postdate-loopback=chosen")).toBe(401);
    });

    test("two cookies are none, whichever came first", async () => {
      const other = await subject.account();
      const planted = await cookieFor(other.key);
      for (const two of [`${planted}; ${cookie}`, `${cookie}; ${planted}`]) {
        expectRefusal(await ask(two, "GET", "/v1/session"), 401, { code: "E-DI-2001" });
      }
      const { host } = new URL(service.server.url);
      const raw = await rawRequest(
        service.server.url,
        `GET /v1/session HTTP/1.1\r\nHost: ${host}\r\nSec-Fetch-Site: same-origin\r\n` +
          `Cookie: ${planted}\r\nCookie: ${cookie}\r\nConnection: close\r\n\r\n`,
      );
      expect(raw).toMatch(/^HTTP\/1\.1 401 /);
    });

    test("a cookie beside an Authorization is refused, also if both are good", async () => {
      const answer = await service.api("GET", "/v1/targets", {
        key,
        headers: { ...ownPage, cookie },
      });
      expectRefusal(answer, 400, { code: "E-DI-1001", field: "Authorization" });
    });
  });

  describe("a copy of a cookie opens nothing", () => {
    const expectShut = async (given: string): Promise<void> => {
      for (const path of ["/v1/session", "/v1/targets"]) {
        expectRefusal(await ask(given, "GET", path), 401, { code: "E-DI-2001" });
      }
    };

    test("once the browser has signed out", async () => {
      const own = await cookieFor(key);
      expect(await statusOf(own)).toBe(200);
      expect((await ask(own, "DELETE", "/v1/session")).status).toBe(200);
      await expectShut(own);
    });

    test("once its key is revoked, whoever revokes it", async () => {
      for (const bySession of [true, false]) {
        const body = { name: "short", scopes: everything };
        const made = await service.ok("POST", "/v1/keys", { key, body });
        const own = await cookieFor(made.key);
        expect(await statusOf(own)).toBe(200);
        const path = `/v1/keys/${made.keyId}`;
        const revoked = bySession
          ? await ask(own, "DELETE", path)
          : await service.api("DELETE", path, { key });
        expect(revoked.status).toBe(200);
        await expectShut(own);
        expectRefusal(await signIn(made.key), 401, { code: "E-DI-2001", field: "key" });
      }
      expect(await statusOf(cookie)).toBe(200);
    });

    test("while its account is suspended, and once it is removed", async () => {
      const own = await subject.account();
      const path = `/v1/accounts/${own.accountId}`;
      const given = await cookieFor(own.key);
      expect(await statusOf(given)).toBe(200);
      await subject.manage("POST", `${path}/suspend`);
      expectRefusal(await ask(given, "GET", "/v1/targets"), 403, { code: "E-DI-4003" });
      expectRefusal(await signIn(own.key), 403, { code: "E-DI-4003" });
      await subject.manage("DELETE", path);
      await expectShut(given);
      expectRefusal(await signIn(own.key), 401, { code: "E-DI-2001", field: "key" });
    });
  });

  describe("cookies in bulk", () => {
    test("a bomb of cookies is refused by its size, or costs what it is worth", async () => {
      const { host } = new URL(service.server.url);
      const send = (cookies: string) =>
        rawRequest(
          service.server.url,
          `GET /v1/session HTTP/1.1\r\nHost: ${host}\r\nSec-Fetch-Site: same-origin\r\n` +
            `Cookie: ${cookies}\r\nConnection: close\r\n\r\n`,
        );
      const many = (one: string, bytes: number) => one.repeat(Math.floor(bytes / one.length));
      expect(await send(`${many("a=b; ", 60_000)}${cookie}`)).toMatch(/^HTTP\/1\.1 431 /);
      expect(await send(`${many("a=b; ", 12_000)}${cookie}`)).toMatch(/^HTTP\/1\.1 200 /);
      expect(await send(`${many(";", 12_000)} ${cookie}`)).toMatch(/^HTTP\/1\.1 200 /);
      expect(await send(many("postdate-loopback=pdc_; ", 12_000))).toMatch(/^HTTP\/1\.1 401 /);
      expect(await send(`postdate-loopback=${"a".repeat(12_000)}`)).toMatch(/^HTTP\/1\.1 401 /);
    });

    test("a made-up session is refused, however like a real one it looks", async () => {
      const [name, id] = cookie.split("=") as [string, string];
      const swapped = id.at(5) === "a" ? "b" : "a";
      for (const made of [
        `pdc_${"A".repeat(55)}`,
        id.slice(0, 5) + swapped + id.slice(6),
        id.toUpperCase(),
        `${id}x`,
        `%70dc_${id.slice(4)}`,
        "pdc_' OR 1=1 --",
        key,
      ]) {
        const answer = await ask(`${name}=${made}`, "GET", "/v1/targets");
        expect(answer.status, made).toBe(401);
      }
    });
  });

  test("a good session is no bearer: it opens nothing where no origin is checked", async () => {
    const [, id] = cookie.split("=") as [string, string];
    expect(await statusOf(cookie)).toBe(200);
    for (const headers of [{}, ownPage]) {
      const answer = await service.api("GET", "/v1/targets", { key: id, headers });
      expectRefusal(answer, 401, { code: "E-DI-2001" });
    }
  });

  describe("plain HTTP", () => {
    /** What a browser on another machine sends: the address of the server as its Host. */
    const from = (host: string, lines: readonly string[], body = "") =>
      rawRequest(
        service.server.url,
        [
          ...lines,
          `Host: ${host}`,
          "Sec-Fetch-Site: same-origin",
          "Postdate-Console: 1",
          "Content-Type: application/json",
          `Content-Length: ${body.length}`,
          "Connection: close",
          "",
          body,
        ].join("\r\n"),
      );
    const [get, post] = ["GET /v1/session HTTP/1.1", "POST /v1/session HTTP/1.1"];

    test.each(["192.0.2.7:7070", "postdate.example", "localhost.example", "127.0.0.1.example"])(
      "at %s nobody signs in, and no cookie counts",
      async (host) => {
        const body = JSON.stringify({ key });
        const answer = await from(host, [post], body);
        expect(answer).toMatch(/^HTTP\/1\.1 400 /);
        expect(answer).toMatch(/POSTDATE_PUBLIC_URL/);
        expect(answer).not.toMatch(/set-cookie/i);
        const [, id] = cookie.split("=");
        for (const name of ["postdate-loopback", "__Host-postdate"]) {
          const read = await from(host, [get, `Cookie: ${name}=${id}`]);
          expect(read).toMatch(/^HTTP\/1\.1 401 /);
        }
        // Nobody has to believe a header that a caller sends.
        const forwarded = ["X-Forwarded-Proto: https", "X-Forwarded-Host: localhost"];
        const pretended = await from(host, [post, ...forwarded], body);
        expect(pretended).toMatch(/^HTTP\/1\.1 400 /);
      },
    );

    test.each(["localhost:7070", "127.0.0.1", "[::1]:7070", "console.localhost"])(
      "at %s the cookie has no Secure, and its own name",
      async (host) => {
        const answer = await from(host, [post], JSON.stringify({ key }));
        expect(answer).toMatch(/^HTTP\/1\.1 200 /);
        expect(answer).toMatch(/set-cookie: postdate-loopback=pdc_/i);
        expect(answer).not.toMatch(/; Secure/);
      },
    );
  });
}
