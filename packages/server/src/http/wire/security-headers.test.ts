import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTestApi } from "../testing/open-test-api.ts";
import type { TestApi } from "../testing/open-test-api.ts";
import { connectRaw, head } from "../testing/raw-connection.ts";

const limits = {
  maxRequests: 1_000,
  maxLoopDelayMs: 500,
  tokenRequestLimit: { max: 1_000, intervalMs: 1_000 },
  trustProxies: [],
};
interface Asked {
  readonly status: number;
  readonly method: "GET" | "HEAD" | "POST" | "PUT";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload?: string;
}

const requests: readonly Asked[] = [
  { status: 200, method: "GET", url: "/v1/keys" },
  { status: 200, method: "HEAD", url: "/v1/keys" },
  { status: 400, method: "GET", url: "/v1/keys?unknown=1" },
  { status: 400, method: "GET", url: "/v1/messages/%zz" },
  { status: 401, method: "GET", url: "/v1/keys", headers: { authorization: "" } },
  { status: 403, method: "GET", url: "/v1/accounts" },
  { status: 404, method: "GET", url: "/v1/nothing" },
  { status: 404, method: "GET", url: "/nothing" },
  { status: 404, method: "GET", url: "/v1/messages/msg_none" },
  { status: 405, method: "PUT", url: "/v1/keys" },
  {
    status: 415,
    method: "POST",
    url: "/v1/keys",
    headers: { "content-type": "text/plain" },
    payload: "x",
  },
  {
    status: 401,
    method: "POST",
    url: "/oauth/token",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    payload: "grant_type=client_credentials&client_id=a&client_secret=b",
  },
  { status: 200, method: "GET", url: "/healthz" },
  { status: 200, method: "GET", url: "/readyz" },
  { status: 200, method: "GET", url: "/metrics" },
  { status: 200, method: "GET", url: "/openapi.json" },
  { status: 200, method: "GET", url: "/.well-known/oauth-authorization-server" },
  { status: 200, method: "GET", url: "/.well-known/jwks.json" },
];

describe.each([
  ["http://postdate.test", undefined],
  ["https://postdate.test", "max-age=63072000"],
])("callers who reach the service at %s", (publicUrl, strictTransport) => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openTestApi({ limits: { ...limits, publicUrl } });
  });
  afterAll(() => api.close());

  test.each(requests)("$status $method $url", async ({ status, url, ...request }) => {
    const answer = await api.call({ url, ...request });
    expect(answer.statusCode).toBe(status);
    expect(answer.headers).toMatchObject({
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    });
    if (/^\/(v1|oauth)\//.test(url)) expect(answer.headers["cache-control"]).toBe("no-store");
    expect(answer.headers["strict-transport-security"]).toBe(strictTransport);
    expect(answer.headers["x-powered-by"]).toBeUndefined();
    expect(answer.headers["server"]).toBeUndefined();
    expect(JSON.stringify(answer.headers)).not.toMatch(/0\.0\.0-test|fastify|node/i);
  });

  test("bytes that are not HTTP", async () => {
    if (!api.app.server.listening) await api.app.listen({ host: "127.0.0.1", port: 0 });
    const connection = await connectRaw(api.app);
    connection.send("NONSENSE\r\n\r\n");
    const answer = await connection.closed;
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).toContain("\r\nx-content-type-options: nosniff\r\n");
    expect(answer).toContain("\r\ncache-control: no-store\r\n");
    expect(answer.includes("\r\nstrict-transport-security: ")).toBe(strictTransport !== undefined);
  });
});

test("a request that is turned away gets the same headers", async () => {
  const begun = Promise.withResolvers<void>();
  const api = await openTestApi({
    limits: { ...limits, maxRequests: 1, maxLoopDelayMs: 500, publicUrl: null },
  });
  expect((await api.call({ url: "/v1/keys" })).statusCode).toBe(200);
  // Runs after the server's own listener, which has given away the account's only place by then.
  api.app.server.once("request", () => begun.resolve());
  await api.app.listen({ host: "127.0.0.1", port: 0 });
  const slow = await connectRaw(api.app);
  const json = { "content-type": "application/json", "content-length": 9 };
  slow.send(head("POST", "/v1/keys", { ...json, authorization: `Bearer ${api.rootKey}` }));
  await begun.promise;
  const answer = await api.call({ url: "/v1/keys" });
  expect(answer.statusCode).toBe(503);
  expect(answer.headers).toMatchObject({
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": expect.stringMatching(/^req_/),
  });
  slow.socket.destroy();
  await api.close();
});

test("the documentation is a page and sends its own content security policy", async () => {
  const api = await openTestApi();
  const page = await api.call({ key: null, url: "/docs/" });
  expect(page.statusCode).toBe(200);
  expect(page.headers["content-security-policy"]).toContain("script-src 'self'");
  expect(page.headers["content-security-policy"]).toContain("frame-ancestors 'none'");
  expect(page.headers).toMatchObject({
    "cache-control": "no-cache",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  });
  await api.close();
});
