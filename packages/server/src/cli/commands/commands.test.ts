import { expect, test } from "vitest";
import { connected } from "../testing/connected-terminal.ts";
import { messageId, wireAttempt, wireMessage, wireTarget } from "../testing/samples.ts";

const attempt = wireAttempt();
const key = {
  keyId: "key_1",
  name: "ci",
  scopes: ["scheduler.messages.readwrite"],
  creationTime: "2026-11-14T09:30:00.000Z",
};
const message = wireMessage();
const target = wireTarget();
const time = "2027-01-01T09:00:00+01:00";

test.each<[string, string[], string, unknown, unknown]>([
  ["get", ["get", messageId], `GET /v1/messages/${messageId}`, undefined, message],
  [
    "payload",
    ["payload", messageId],
    `GET /v1/messages/${messageId}/payload`,
    undefined,
    { messageId, payload: "x" },
  ],
  ["cancel", ["cancel", messageId], `POST /v1/messages/${messageId}/cancel`, undefined, message],
  [
    "reschedule",
    ["reschedule", messageId, "--at", time],
    `POST /v1/messages/${messageId}/reschedule`,
    { deliveryTime: time },
    message,
  ],
  [
    "attempts",
    ["attempts", messageId],
    `GET /v1/messages/${messageId}/attempts`,
    undefined,
    { messageId, attempts: [attempt] },
  ],
  [
    "send",
    ["send", "billing", "hi", "--at", time],
    "POST /v1/messages",
    { targetId: "billing", deliveryTime: time, payload: "hi" },
    message,
  ],
  [
    "list",
    ["list", "billing", "--min-time", time, "--limit", "5"],
    "GET /v1/targets/billing/scheduled-messages?minTime=2027-01-01T09%3A00%3A00%2B01%3A00&limit=5",
    undefined,
    { items: [message], nextPageToken: null },
  ],
  [
    "dead-letters",
    ["dead-letters", "billing", "--page-token", "t"],
    "GET /v1/targets/billing/dead-letters?pageToken=t",
    undefined,
    { items: [message], nextPageToken: null },
  ],
  [
    "target add",
    ["target", "add", "https://example.com/hooks"],
    "POST /v1/targets",
    { kind: "webhook", url: "https://example.com/hooks" },
    target,
  ],
  ["target list", ["target", "list"], "GET /v1/targets", undefined, { items: [target] }],
  ["target get", ["target", "get", "billing"], "GET /v1/targets/billing", undefined, target],
  [
    "target pause",
    ["target", "pause", "billing"],
    "POST /v1/targets/billing/pause",
    undefined,
    target,
  ],
  [
    "target resume",
    ["target", "resume", "billing"],
    "POST /v1/targets/billing/resume",
    undefined,
    target,
  ],
  [
    "target rotate-secret",
    ["target", "rotate-secret", "billing"],
    "POST /v1/targets/billing/rotate-secret",
    {},
    target,
  ],
  [
    "target test",
    ["target", "test", "billing", "hi"],
    "POST /v1/targets/billing/test",
    { payload: "hi" },
    { targetId: "billing", messageId, attempt },
  ],
  ["target remove", ["target", "remove", "a/b"], "DELETE /v1/targets/a%2Fb", undefined, target],
  [
    "key create",
    ["key", "create", "--name", "ci"],
    "POST /v1/keys",
    { name: "ci", scopes: key.scopes },
    { ...key, key: "pd_new" },
  ],
  ["key list", ["key", "list"], "GET /v1/keys", undefined, { items: [key] }],
  ["key revoke", ["key", "revoke", "key_1"], "DELETE /v1/keys/key_1", undefined, key],
])(
  "%s calls the service once and with --json prints its answer",
  async (_name, argv, asked, body, json) => {
    const terminal = await connected(() => ({ json }));
    expect(await terminal.run(...argv, "--json")).toBe(0);
    const [request] = terminal.asked;
    expect(terminal.asked).toHaveLength(1);
    expect(`${request!.method} ${request!.path}`).toBe(asked);
    expect(request!.body).toEqual(body);
    expect(request!.headers.authorization).toBe("Bearer pd_0123456789abcdef");
    expect(JSON.parse(terminal.stdout.text)).toEqual(json);
    expect(await terminal.run(...argv)).toBe(0);
  },
);

test("payload prints the bytes and nothing else", async () => {
  const payload = "a\u0000b\u2028😀\ufeff";
  const terminal = await connected(() => ({ json: { messageId, payload } }));
  await terminal.run("payload", messageId);
  expect(terminal.stdout.bytes).toEqual(Buffer.from(payload));
  expect(terminal.stderr.text).toBe("");
});

const escapes = "\u001b]0;owned\u0007\u001b[2J\u009b31m\u202e";
const visibleEscapes = "\\u001b]0;owned\\u0007\\u001b[2J\\u009b31m\\u202e";

test("payload on a terminal makes control characters visible", async () => {
  const written: string[] = [];
  const stdout = { isTTY: true, write: (text: string) => written.push(text) };
  const payload = `one\n\ttwo${escapes}\n`;
  const terminal = await connected(() => ({ json: { messageId, payload } }), { stdout });
  await terminal.run("payload", messageId);
  expect(written).toEqual([`one\n\ttwo${visibleEscapes}\n`]);
});

test.each([
  ["a field", ["get", messageId], 200, { ...message, targetId: escapes }],
  ["a field as JSON", ["get", messageId, "--json"], 200, { ...message, targetId: escapes }],
  ["an item as JSON", ["target", "list", "--json", "--all"], 200, { items: [{ url: escapes }] }],
  ["a refusal", ["get", messageId], 400, { errors: [{ code: "E-DI-1001", message: escapes }] }],
])("%s from the service cannot control the terminal", async (_what, argv, status, json) => {
  const terminal = await connected(() => ({ status, json }));
  await terminal.run(...argv);
  const said = terminal.stdout.text + terminal.stderr.text;
  expect(said).toContain("owned");
  // oxlint-disable-next-line no-control-regex -- the test checks that these are absent
  expect(said).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
});

test("payload ends the line on a terminal for the prompt, without writing to stdout", async () => {
  const written: string[] = [];
  const stdout = { isTTY: true, write: (text: string) => written.push(text) };
  const terminal = await connected(
    (_asked, index) => ({
      json: { messageId, payload: index === 1 ? "x\n" : "x" },
    }),
    { stdout },
  );
  await terminal.run("payload", messageId);
  expect(terminal.stderr.text).toBe("\n");
  await terminal.run("payload", messageId);
  await terminal.run("payload", messageId, "--json");
  expect(terminal.stderr.text).toBe("\n");
  expect(written.slice(0, 2)).toEqual(["x", "x\n"]);
});

test("key create prints only the key on stdout", async () => {
  const terminal = await connected(() => ({ json: { ...key, key: "pd_new" } }));
  expect(
    await terminal.run(
      "key",
      "create",
      "--name",
      "a",
      "--scope",
      "scheduler.all.read",
      "--scope",
      "scheduler.messages.read",
    ),
  ).toBe(0);
  expect(terminal.asked[0]!.body).toEqual({
    name: "a",
    scopes: ["scheduler.all.read", "scheduler.messages.read"],
  });
  expect(terminal.stdout.text).toBe("pd_new\n");
});

test("--all walks every page, with --json one object on each line", async () => {
  const pages = ["a", "b", "c"].map((name, index) => ({
    json: {
      items: [wireMessage({ messageId: name })],
      nextPageToken: index < 2 ? `t${index}` : null,
    },
  }));
  const terminal = await connected((_asked, index) => pages[index % 3]!);
  expect(await terminal.run("list", "billing", "--all", "--json", "--limit", "1")).toBe(0);
  const lines = terminal.stdout.text.trimEnd().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { messageId: string }).messageId)).toEqual([
    "a",
    "b",
    "c",
  ]);
  expect(terminal.asked.map(({ path }) => path.split("?")[1])).toEqual([
    "limit=1",
    "limit=1&pageToken=t0",
    "limit=1&pageToken=t1",
  ]);
  expect(await terminal.run("list", "billing", "--all")).toBe(0);
  expect(terminal.stdout.text.match(/MESSAGE/g)).toHaveLength(1);
});

test("one page says when there is more, and an empty page says that there is nothing", async () => {
  const terminal = await connected((_asked, index) => ({
    json:
      index === 0 ? { items: [message], nextPageToken: "t" } : { items: [], nextPageToken: null },
  }));
  await terminal.run("list", "billing");
  expect(terminal.stderr.text).toContain("--all");
  await terminal.run("dead-letters", "billing");
  expect(terminal.stderr.text).toContain("No dead letters for billing.\n");
  await terminal.run("list", "billing", "--min-time", time);
  expect(terminal.stderr.text).toContain("No scheduled messages for billing in that time.\n");
  await terminal.run("target", "list");
  expect(terminal.stderr.text).toContain("No targets yet");
  expect(await terminal.run("list", "billing", "--limit", "101")).toBe(2);
});
