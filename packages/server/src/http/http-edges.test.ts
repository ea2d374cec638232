import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import { beforeAll, describe, expect, test } from "vitest";
import { StoreUnavailable } from "../operations/operations.ts";
import { sharedTestApi } from "./testing/shared-test-api.ts";

const api = sharedTestApi();
beforeAll(() => api.app.listen({ host: "127.0.0.1", port: 0 }));

const json = { "content-type": "application/json" };
const post = (url: string, payload: string | Buffer, headers: Record<string, string> = json) =>
  api.call({ method: "POST", url, payload, headers });

describe("access", () => {
  test("every operation under /v1 checks the credential before anything else", async () => {
    const document = (await api.call({ url: "/openapi.json" })).json<{
      paths: Record<string, Record<string, unknown>>;
    }>();
    const operations = Object.entries(document.paths)
      .filter(([path]) => path.startsWith("/v1/"))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => ({ path, method })))
      // Whoever signs in brings the credential in the body.
      .filter(({ path, method }) => !(path === "/v1/session" && method === "post"));
    expect(operations.length).toBeGreaterThan(20);
    for (const { path, method } of operations) {
      const answer = await api.call({
        key: null,
        method: method.toUpperCase(),
        url: `${path.replaceAll(/\{\w+\}/g, "x")}?nonsense=1`,
        ...(method === "get" ? {} : { payload: "{broken", headers: json }),
      });
      expect(answer.statusCode).toBe(401);
      expect(answer.headers["www-authenticate"]).toBe('Bearer realm="postdate"');
      expect(answer.json()).toMatchObject({ errors: [{ code: "E-DI-2001" }] });
    }
  });

  test.each([
    ["an unknown key", "Bearer pd_unknown", ', error="invalid_token"'],
    ["a key of another service", "Bearer sk_123", ', error="invalid_token"'],
    ["nothing after the scheme", "Bearer", ', error="invalid_token"'],
    ["another scheme", "Basic cGQ6cGQ=", ""],
  ])("%s is refused", async (_name, authorization, fault) => {
    const answer = await api.app.inject({ url: "/v1/keys", headers: { authorization } });
    expect(answer.statusCode).toBe(401);
    expect(answer.headers["www-authenticate"]).toBe(`Bearer realm="postdate"${fault}`);
  });

  test("a key in the query is not a credential", async () => {
    const answer = await api.call({ key: null, url: `/v1/keys?access_token=${api.rootKey}` });
    expect(answer.statusCode).toBe(401);
  });

  test("the answer names the missing scope", async () => {
    const key = await api.keyWith("scheduler.messages.read");
    const answer = await api.call({ key, method: "POST", url: "/v1/messages", body: {} });
    expect(answer.statusCode).toBe(403);
    expect(answer.headers["www-authenticate"]).toBe(
      'Bearer realm="postdate", error="insufficient_scope", scope="scheduler.messages.readwrite"',
    );
    expect(answer.json()).toMatchObject({ errors: [{ code: "E-DI-2002" }] });
    expect((await api.call({ key, url: "/v1/targets/x/dead-letters" })).statusCode).toBe(200);
    expect((await api.call({ key, url: "/v1/targets" })).statusCode).toBe(403);
  });
});

describe("bodies", () => {
  test.each([
    ["no body", "", json],
    ["broken JSON", "{", json],
    ["a list", "[]", json],
    ["null", "null", json],
    ["a string", '"x"', json],
    ["prototype poison", '{"__proto__":{"targetId":"x"}}', json],
    ["constructor poison", '{"constructor":{"prototype":{"a":1}}}', json],
    ["bottomless nesting", `{"a":${"[".repeat(5_000)}${"]".repeat(5_000)}}`, json],
    ["endless fields", JSON.stringify(Object.fromEntries(Array(20_000).entries())), json],
  ])("%s is a bad request", async (_name, payload, headers) => {
    const answer = await post("/v1/messages", payload, headers);
    expect(answer.statusCode).toBe(400);
    expect(answer.json<{ errors: { code: string }[] }>().errors[0]?.code).toBe("E-DI-1001");
  });

  test.each([
    ["text/plain", "{}"],
    ["application/x-www-form-urlencoded", "a=b"],
    ["application/json; charset=utf-16", "{}"],
    ["nonsense", "{}"],
  ])("the media type %s is refused", async (type, payload) => {
    const answer = await post("/v1/messages", payload, { "content-type": type });
    expect(answer.statusCode).toBe(415);
    expect(answer.json()).toMatchObject({ errors: [{ code: "E-DI-1003" }] });
  });

  test.each(["gzip", "br", "identity, deflate", "nonsense"])(
    "a body in the encoding %s is refused with what to do",
    async (encoding) => {
      const answer = await post("/v1/messages", "{}", { ...json, "content-encoding": encoding });
      expect(answer.statusCode).toBe(415);
      expect(answer.json()).toEqual({
        errors: [
          {
            code: "E-DI-1003",
            message: "The body must not be compressed: send it without Content-Encoding.",
          },
        ],
      });
    },
  );

  test("whoever sends a large body in an encoding sees why it is refused", async () => {
    const { port } = api.app.server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/v1/messages/batch`;
    const headers = {
      ...{ ...json, "content-encoding": "gzip" },
      authorization: `Bearer ${api.rootKey}`,
    };
    for (let count = 0; count < 10; count++) {
      const body = Buffer.alloc(12_000_000);
      expect((await fetch(url, { method: "POST", headers, body })).status).toBe(415);
    }
  });

  test("the encoding identity is none", async () => {
    const headers = { ...json, "content-encoding": "Identity" };
    const body = '{"name":"plain","scopes":["scheduler.all.read"]}';
    expect((await post("/v1/keys", body, headers)).statusCode).toBe(200);
  });

  test("the charset utf-8 is accepted", async () => {
    const headers = { "content-type": 'application/json; charset="UTF-8"' };
    const answer = await post("/v1/keys", '{"name":"é","scopes":["scheduler.all.read"]}', headers);
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ name: "é" });
  });

  test.each([
    ["/v1/messages", 1_048_576],
    ["/v1/messages/batch", 16 * 1_048_576],
  ])("%s takes a body of at most %d bytes", async (url, limit) => {
    const largest = await post(url, `{"x":"${"x".repeat(limit - 8)}"}`);
    expect(largest.statusCode).toBe(400);
    const beyond = await post(url, `{"x":"${"x".repeat(limit - 7)}"}`);
    expect(beyond.statusCode).toBe(413);
    const message = expect.stringContaining(` ${limit.toLocaleString("en")} bytes `);
    expect(beyond.json()).toMatchObject({ errors: [{ code: "E-DI-1003", message }] });
  });

  test("the longest legal payload fits however it is escaped", async () => {
    const url = "https://example.com/";
    await api.call({ method: "POST", url: "/v1/targets", body: { targetId: "long", url } });
    const payload = "\\ud83d\\udd70".repeat(61_440);
    const answer = await post(
      "/v1/messages",
      `{"targetId":"long","deliveryTime":"2099-01-01T00:00:00Z","payload":"${payload}"}`,
    );
    expect(answer.statusCode).toBe(200);
  });

  test("bytes that are not UTF-8 are refused, not replaced", async () => {
    const url = "https://example.com/";
    await api.call({ method: "POST", url: "/v1/targets", body: { targetId: "bytes", url } });
    const head = '{"targetId":"bytes","deliveryTime":"2099-01-01T00:00:00Z","payload":"';
    const message = (byte: number) => Buffer.from([...Buffer.from(head), byte, 0x22, 0x7d]);
    expect((await post("/v1/messages", message(0x78))).statusCode).toBe(200);
    const answer = await post("/v1/messages", message(0xff));
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ errors: [{ code: "E-DI-1001" }] });
  });

  test("a lone surrogate is reported in any field", async () => {
    const answer = await post(
      "/v1/targets",
      '{"url":"https://example.com/","headers":{"x-a":"\\ud800"},"timeoutMs":1}',
    );
    expect(answer.statusCode).toBe(400);
    const { errors } = answer.json<{ errors: { field: string }[] }>();
    expect(errors.map(({ field }) => field).toSorted()).toEqual(["headers.x-a", "timeoutMs"]);
  });

  test("an unknown parameter is reported together with a wrong body", async () => {
    const answer = await post("/v1/keys?verbose=1", "{}");
    const { errors } = answer.json<{ errors: { field: string }[] }>();
    expect(errors.map(({ field }) => field).toSorted()).toEqual(["name", "scopes", "verbose"]);
  });
});

describe("routes", () => {
  test("an unknown path gets 404, a known path with another method gets 405 with Allow", async () => {
    const unknown = await api.call({ url: "/v1/nothing" });
    expect(unknown.statusCode).toBe(404);
    expect(unknown.json()).toMatchObject({ errors: [{ code: "E-DI-1003" }] });
    const method = await api.call({ method: "PUT", url: "/v1/targets/orders?x=1" });
    expect(method.statusCode).toBe(405);
    expect(method.headers.allow).toBe("DELETE, GET, HEAD, PATCH");
    expect(method.json()).toMatchObject({ errors: [{ code: "E-DI-1003" }] });
  });

  test("a path that cannot be decoded gets 400", async () => {
    const answer = await api.call({ url: "/v1/messages/%zz" });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ errors: [{ code: "E-DI-1001" }] });
    expect(answer.headers["x-request-id"]).toBeDefined();
  });

  test("HEAD answers like GET, without the body", async () => {
    const answer = await api.call({ method: "HEAD", url: "/v1/keys" });
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toBe("");
    expect(Number(answer.headers["content-length"])).toBeGreaterThan(0);
  });

  test.each([
    ["mine-1.2_3", true],
    ["has space", false],
    ["x".repeat(129), false],
  ])("the request id %s is kept: %s", async (id, kept) => {
    const answer = await api.call({ url: "/v1/nothing", headers: { "x-request-id": id } });
    expect(answer.headers["x-request-id"] === id).toBe(kept);
    expect(answer.headers["x-request-id"]).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  });

  test("bytes that are not HTTP get an answer in the error format too", async () => {
    const { port } = api.app.server.address() as AddressInfo;
    const answer = await new Promise<string>((resolve) => {
      let text = "";
      const socket = connect(port, "127.0.0.1", () => socket.write("NONSENSE\r\n\r\n"));
      socket.on("data", (chunk) => (text += chunk.toString())).on("close", () => resolve(text));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"code":"E-DI-1001"');
  });
});

describe("trouble", () => {
  test("an unavailable store gives 503 with Retry-After", async () => {
    api.trouble.error = new StoreUnavailable("disk full at /secret/place");
    const answer = await api.call({ url: "/v1/targets" });
    api.trouble.error = null;
    expect(answer.statusCode).toBe(503);
    expect(answer.headers["retry-after"]).toBe("1");
    expect(answer.json()).toMatchObject({ errors: [{ code: "E-DI-9002" }] });
    expect(answer.body).not.toContain("secret");
  });

  test("a bug gives 500 with the request id, and no internals", async () => {
    api.trouble.error = new Error("column secret does not exist");
    const answer = await api.call({ url: "/v1/targets", headers: { "x-request-id": "find-me" } });
    api.trouble.error = null;
    expect(answer.statusCode).toBe(500);
    expect(answer.json()).toMatchObject({
      errors: [{ code: "E-DI-9001", message: expect.stringContaining("find-me") }],
    });
    expect(answer.body).not.toContain("secret");
  });

  test("readiness gives the reasons why the server is not ready", async () => {
    expect((await api.call({ key: null, url: "/readyz" })).statusCode).toBe(200);
    Object.assign(api.readiness, { ready: false, reasons: ["stopping"] });
    const answer = await api.call({ key: null, url: "/readyz" });
    Object.assign(api.readiness, { ready: true, reasons: [] });
    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toEqual({ ready: false, reasons: ["stopping"] });
  });
});

describe("what needs no credential", () => {
  test("health and metrics", async () => {
    const health = await api.call({ key: null, url: "/healthz" });
    expect(health.json()).toEqual({ status: "ok", version: "0.0.0-test" });
    const metrics = await api.call({ key: null, url: "/metrics" });
    expect(metrics.headers["content-type"]).toContain("text/plain; version=0.0.4");
    expect(metrics.body).toBe("up 1\n");
  });

  test("the documentation, which loads nothing from another host", async () => {
    const page = await api.call({ key: null, url: "/docs/" });
    expect(page.statusCode).toBe(200);
    expect(page.body).toMatch(/"js\/scalar-[\w-]{20}\.js"/);
    expect(page.body).not.toMatch(/https?:\/\//);
    const policy = String(page.headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).not.toMatch(/https?:|\*/);
    const script = await api.call({ key: null, url: "/docs/js/scalar.js" });
    expect(script.statusCode).toBe(200);
    expect(script.headers["content-type"]).toMatch(/javascript/);
    const bare = await api.call({ key: null, url: "/docs?from=readme" });
    expect([bare.statusCode, bare.headers.location, bare.body]).toEqual([301, "/docs/", ""]);
    expect(bare.headers["content-type"]).toBeUndefined();
  });
});
