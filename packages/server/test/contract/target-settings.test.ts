import { beforeAll, describe, expect, test } from "vitest";
import { expectRefusal, expectRefusalNaming } from "../support/expectations.ts";
import { sharedService } from "../support/shared-service.ts";

const service = sharedService();
const url = "https://hooks.example.com/in";
const list = (backoff: object) => ({ backoff: { kind: "list", delaysMs: [5], ...backoff } });
const exponential = (backoff: object) => ({ backoff: { kind: "exponential", ...backoff } });

const bad: readonly [setting: string, ...values: unknown[]][] = [
  [
    "url",
    "",
    "nonsense",
    "hooks.example.com",
    "ftp://example.com",
    "file:///etc/passwd",
    "http://",
  ],
  [
    "url",
    "javascript:alert(1)",
    "http://exa mple.com",
    5,
    [],
    {},
    `https://x.com/${"a".repeat(5_000)}`,
  ],
  ["headers", "x", [], 5, { "bad name": "x" }, { "": "x" }, { x: 5 }, { x: null }, { "x:y": "z" }],
  ["headers", { x: "a\r\nInjected: 1" }, { x: "a\0" }, { ü: "x" }, { x: "😀" }],
  ["headers", { Host: "x" }, { "content-length": "0" }, { "Transfer-Encoding": "chunked" }],
  ["headers", { Connection: "close" }, { "webhook-id": "x" }, { "Webhook-Signature": "x" }],
  [
    "headers",
    { "webhook-timestamp": "1" },
    { "postdate-attempt": "1" },
    { "Postdate-Target": "x" },
  ],
  ["contentType", "", 5, "a\r\nb: c", "no type", {}, "text/plain; 😀"],
  ["timeoutMs", 0, -1, 1.5, "5", 1e12, true, {}],
  ["maxConcurrency", 0, -1, 1.5, "5", 1e9, []],
  ["rateLimit", 5, {}, { max: 0, intervalMs: 1 }, { max: 1 }, { max: 1, intervalMs: 0 }, []],
  ["rateLimit", { max: 1, intervalMs: 1, burst: 1 }, { max: "1", intervalMs: 1 }],
  ["paused", "yes", 1, {}],
  ["retryPolicy", 5, "x", [], { maxAttempts: 0 }, { maxAttempts: 1.5 }, { maxAttempts: "3" }],
  ["retryPolicy", { maxAttempts: 1e9 }, { unknown: 1 }, { finalStatuses: 404 }],
  ["retryPolicy", { finalStatuses: [99] }, { finalStatuses: [600] }, { finalStatuses: ["404"] }],
  ["retryPolicy", { maxRetryAfterMs: -1 }, { maxRetryAfterMs: "x" }, { maxRetryAfterMs: 1e15 }],
  ["retryPolicy", { backoff: 5 }, { backoff: {} }, { backoff: { kind: "linear" } }],
  ["retryPolicy", list({ delaysMs: [] }), list({ delaysMs: [-1] }), list({ delaysMs: "5" })],
  ["retryPolicy", list({ delaysMs: [1.5] }), list({ jitter: 2 }), list({ jitter: -0.1 })],
  ["retryPolicy", list({ factor: 2 }), exponential({ delaysMs: [5] }), list({ jitter: "0" })],
  [
    "retryPolicy",
    exponential({ initialMs: -1 }),
    exponential({ factor: 0 }),
    exponential({ maxMs: -1 }),
  ],
];

describe("a bad setting is refused by name, in create and in change", () => {
  let before: unknown;
  beforeAll(async () => {
    await service.ok("POST", "/v1/targets", { body: { targetId: "steady", url } });
    before = await service.ok("GET", "/v1/targets");
  });

  const rows = bad.flatMap(([setting, ...values]) =>
    values.map((value) => [setting, value] as const),
  );
  test.each(rows)("%s: %j", async (setting, value) => {
    const field = new RegExp(`^${setting}($|[.[/])`);
    const created = await service.api("POST", "/v1/targets", {
      body: { targetId: "never", url, [setting]: value },
    });
    expectRefusalNaming(created, 400, "E-DI-1001", field);
    const changed = await service.api("PATCH", "/v1/targets/steady", {
      body: { [setting]: value },
    });
    expectRefusalNaming(changed, 400, "E-DI-1001", field);
  });

  test.each([
    ["secret", "x"],
    ["secret", "whsec_"],
    ["secret", "whsec_c2hvcnQ="],
    ["secret", `whsec_${Buffer.alloc(65).toString("base64")}`],
    ["secret", "whsec_*************************************"],
    ["secret", Buffer.alloc(32).toString("base64")],
    ["secret", 5],
    ["kind", "email"],
    ["kind", ""],
    ["kind", 5],
    ["unknown", 1],
    ["url", undefined],
    ["creationTime", "2026-01-01T00:00:00Z"],
  ])("%s: %j, in create", async (setting, value) => {
    const body = { targetId: "never", url, [setting]: value };
    const created = await service.api("POST", "/v1/targets", { body });
    expectRefusal(created, 400, { code: "E-DI-1001", field: setting });
  });

  test("everything wrong is named at once", async () => {
    const body = { targetId: "a b", url: "nonsense", timeoutMs: 0, maxConcurrency: 0, extra: 1 };
    const answer = await service.api("POST", "/v1/targets", { body });
    const fields = ["targetId", "url", "timeoutMs", "maxConcurrency", "extra"];
    expectRefusal(answer, 400, ...fields.map((field) => ({ code: "E-DI-1001", field })));
    const changed = await service.api("PATCH", "/v1/targets/steady", {
      body: { url: "http://10.0.0.1/", timeoutMs: 0, headers: { Host: "x" } },
    });
    expectRefusal(
      changed,
      400,
      { code: "E-DI-3005", field: "url" },
      { code: "E-DI-1001", field: "timeoutMs" },
      { code: "E-DI-1001", field: "headers.Host" },
    );
  });

  test("headers.__proto__ is no way in", async () => {
    const body = `{"url":"${url}","headers":{"__proto__":"x"}}`;
    const answer = await service.api("POST", "/v1/targets", { body });
    expectRefusal(answer, 400, { code: "E-DI-1001", field: "headers.__proto__" });
  });

  test("nothing has changed, and nothing was made", async () => {
    const { items } = await service.ok("GET", "/v1/targets");
    expect({ items }).toStrictEqual({ items: (before as { items: unknown }).items });
  });
});

describe("an address that is not allowed is E-DI-3005", () => {
  const refused = [
    ...["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "169.254.169.254"],
    ...[
      "169.254.0.1",
      "0.0.0.0",
      "0.1.2.3",
      "192.0.0.1",
      "192.0.2.1",
      "198.18.0.1",
      "198.51.100.1",
    ],
    ...["203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "167772161", "0x0a000001"],
    ...["012.0.0.1", "10.1", "0xa.0.0.1", "192.88.99.1", "10.0.0.1."],
    ...[
      "[::1]",
      "[::]",
      "[fe80::1]",
      "[fc00::1]",
      "[fd12:3456::1]",
      "[ff02::1]",
      "[::ffff:10.0.0.1]",
    ],
    ...[
      "[::ffff:a9fe:a9fe]",
      "[64:ff9b::10.0.0.1]",
      "[64:ff9b:1::1]",
      "[2002:a00:1::1]",
      "[2001::1]",
    ],
    ...["[2001:db8::1]", "[100::1]", "[fec0::1]", "[::10.0.0.1]", "[fd00:ec2::254]"],
  ];
  test.each(refused)("%s", async (host) => {
    const problem = { code: "E-DI-3005", field: "url" };
    for (const address of [`http://${host}/`, `https://${host}:8443/x`]) {
      const body = { targetId: "never", url: address };
      expectRefusal(await service.api("POST", "/v1/targets", { body }), 400, problem);
    }
    const path = "/v1/targets/steady";
    const before = await service.ok("GET", path);
    const changed = await service.api("PATCH", path, { body: { url: `http://${host}/` } });
    expectRefusal(changed, 400, problem);
    expect(await service.ok("GET", path)).toStrictEqual(before);
  });

  test("public addresses and what the operator allows are fine", async () => {
    const hosts = ["93.184.215.14", "[2606:4700::1111]", "127.0.0.1:9", "127.1.2.3", "example.com"];
    for (const host of hosts) {
      const { status } = await service.api("POST", "/v1/targets", {
        body: { url: `http://${host}/` },
      });
      expect([host, status]).toEqual([host, 200]);
    }
  });
});
