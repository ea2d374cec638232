import { describe, expect, test } from "vitest";
import { checkWebhookSettings } from "./check-webhook-settings.ts";
import { settingsFor } from "./testing/deliveries.ts";

const url = "https://receiver.example/hook?tenant=1";

function fieldsOf(...args: Parameters<typeof settingsFor>): (string | undefined)[] {
  const problems = checkWebhookSettings(settingsFor(...args));
  for (const { code, message } of problems) {
    expect(code).toBe("E-DI-1001");
    expect(message).toMatch(/^[A-Z].*\.$/s);
  }
  return problems.map(({ field }) => field);
}

describe("url", () => {
  test.each([
    url,
    "http://receiver.example",
    "https://receiver.example:8443/ä?q=%20",
    `https://a.example/${"x".repeat(2_030)}`,
  ])("accepts %s", (text) => expect(fieldsOf(text)).toEqual([]));

  test.each([
    "",
    "receiver.example/hook",
    "/hook",
    "ftp://receiver.example/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "https://user@receiver.example/",
    "https://user:password@receiver.example/",
    "https://receiver.example/#part",
    "https://receiver.example/#",
    "https://receiver.example:0/",
    "https://receiver.example:65536/",
    "https://receiver.exa\nmple/",
    " https://receiver.example/",
    "https://receiver.example/a b",
    `https://a.example/${"x".repeat(2_031)}`,
  ])("refuses %j", (text) => expect(fieldsOf(text)).toEqual(["url"]));

  test("reports every problem", () => {
    expect(fieldsOf("https://user@receiver.example/#part")).toEqual(["url", "url"]);
  });
});

describe("headers", () => {
  test.each([
    { Authorization: "Bearer abc.def-ghi" },
    { "User-Agent": "mine" },
    { "x-empty": "" },
    { "x-inner": "a b\tc" },
    { "X_~!#$%&'*+.^`|": "1" },
    { ["n".repeat(128)]: "v".repeat(4_096) },
    Object.fromEntries(Array.from({ length: 32 }, (_, index) => [`x-${index}`, "1"])),
  ])("accepts %j", (headers) => expect(fieldsOf(url, { headers })).toEqual([]));

  test.each([
    "Host",
    "content-length",
    "CONTENT-TYPE",
    "transfer-encoding",
    "Connection",
    "keep-alive",
    "upgrade",
    "te",
    "trailer",
    "expect",
    "proxy-authorization",
    "Proxy-Connection",
    "webhook-id",
    "Webhook-Anything",
    "postdate-attempt",
    "",
    "two words",
    "colon:",
    "line\nfeed",
    "umläut",
    "n".repeat(129),
  ])("refuses the name %j", (name) => {
    expect(fieldsOf(url, { headers: { [name]: "1" } })).toEqual([`headers.${name}`]);
  });

  test.each([
    "a\r\nx-injected: 1",
    "a\nb",
    "a\rb",
    "a\u0000b",
    "a\u007fb",
    "\u001b",
    "é",
    "😀",
    " leading",
    "trailing\t",
    "v".repeat(4_097),
  ])("refuses the value %j", (value) => {
    expect(fieldsOf(url, { headers: { "x-a": value } })).toEqual(["headers.x-a"]);
  });

  test("refuses the same name in another case, with one problem", () => {
    expect(fieldsOf(url, { headers: { "X-A": "1", "x-a": "2" } })).toEqual(["headers.x-a"]);
  });

  test("refuses a thirty-third header", () => {
    const entries = Array.from({ length: 33 }, (_, index) => [`x-${index}`, "1"]);
    expect(fieldsOf(url, { headers: Object.fromEntries(entries) })).toEqual(["headers"]);
  });

  test("says where to set a content type", () => {
    const [problem] = checkWebhookSettings(
      settingsFor(url, { headers: { "Content-Type": "a/b" } }),
    );
    expect(problem?.message).toContain("contentType");
  });
});

describe("contentType", () => {
  test.each(["application/json", "text/plain; charset=utf-8", "application/vnd.a+json;v=1"])(
    "accepts %s",
    (contentType) => expect(fieldsOf(url, { contentType })).toEqual([]),
  );

  test.each(["", "json", "a/b\r\nx: 1", "a/b; c=\u0000", "a/", "/b", "a/b c", "a/b; c=é"])(
    "refuses %j",
    (contentType) => expect(fieldsOf(url, { contentType })).toEqual(["contentType"]),
  );
});

describe("timeoutMs", () => {
  test.each([100, 300_000])("accepts %i", (timeoutMs) =>
    expect(fieldsOf(url, { timeoutMs })).toEqual([]),
  );

  test.each([99, 300_001, 100.5, Number.NaN, -1, Infinity])("refuses %d", (timeoutMs) =>
    expect(fieldsOf(url, { timeoutMs })).toEqual(["timeoutMs"]),
  );
});

test("reports the problems of all fields together", () => {
  const rest = { headers: { host: "x" }, contentType: "", timeoutMs: 0 };
  expect(fieldsOf("nowhere", rest)).toEqual(["url", "headers.host", "contentType", "timeoutMs"]);
});
