import { beforeAll, describe, expect, test } from "vitest";
import { commonService } from "../support/common-service.ts";
import { expectRefusal, expectRefusalNaming } from "../support/expectations.ts";

const service = commonService();
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

  test("all problems are named at once", async () => {
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

  test("headers: more than 8,192 characters together", async () => {
    const body = { url, headers: { a: "v".repeat(4_096), b: "v".repeat(4_096) } };
    const problem = { code: "E-DI-1001", field: "headers" };
    expectRefusal(await service.api("POST", "/v1/targets", { body }), 400, problem);
    expectRefusal(await service.api("PATCH", "/v1/targets/steady", { body }), 400, problem);
  });

  test("nothing has changed, and nothing was made", async () => {
    const { items } = await service.ok("GET", "/v1/targets");
    expect({ items }).toStrictEqual({ items: (before as { items: unknown }).items });
  });
});

test("public addresses and addresses that the operator allows are accepted", async () => {
  const hosts = ["93.184.215.14", "[2606:4700::1111]", "127.0.0.1:9", "127.1.2.3", "example.com"];
  for (const host of hosts) {
    const { status } = await service.api("POST", "/v1/targets", {
      body: { url: `http://${host}/` },
    });
    expect([host, status]).toEqual([host, 200]);
  }
});
