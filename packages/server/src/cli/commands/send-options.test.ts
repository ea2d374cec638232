import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { standardInput } from "../testing/command-line.ts";
import { connected } from "../testing/connected-terminal.ts";
import { messageId, wireMessage } from "../testing/samples.ts";

const now = Date.UTC(2026, 10, 14, 9, 30);
const clock = { now: () => now, monotonic: () => 0 };

async function sent(...argv: readonly string[]) {
  const terminal = await connected(() => ({ json: wireMessage() }), {
    clock,
    timeZone: "Europe/Berlin",
  });
  const exitCode = await terminal.run("send", "billing", "x", ...argv);
  const {
    targetId: _t,
    payload: _p,
    ...body
  } = (terminal.asked[0]?.body ?? {}) as Record<string, unknown>;
  return { exitCode, body, stderr: terminal.stderr.text };
}

const minuteMs = 60_000;

test.each<[readonly string[], Record<string, unknown>]>([
  [["--label", "order=17", "--label", "note=a=b, c"], { labels: { order: "17", note: "a=b, c" } }],
  [
    ["--header", "X-Tenant: berlin", "--header", "x-empty:"],
    { headers: { "X-Tenant": "berlin", "x-empty": "" } },
  ],
  [
    ["--content-type", "application/json", "--timeout", "5s"],
    { contentType: "application/json", timeoutMs: 5_000 },
  ],
  [["--flex", "10 minutes"], { flexWindowMs: 10 * minuteMs }],
  [
    ["--max-attempts", "3", "--backoff", "1s,1m"],
    { retryPolicy: { maxAttempts: 3, backoff: { kind: "list", delaysMs: [1_000, minuteMs] } } },
  ],
  [["--message-key", "k"], { key: "k" }],
  [["--message-key", "k", "--on-conflict", "keep"], { key: "k", onConflict: "keep" }],
  [["--not-after", "2h"], { notAfterMs: 120 * minuteMs }],
  [["--not-after", "2 hours"], { notAfterMs: 120 * minuteMs }],
])("send %j sends %j", async (argv, fields) => {
  const { exitCode, body } = await sent(...argv);
  expect(exitCode).toBe(0);
  expect(body).toEqual({ delayMs: 0, ...fields });
});

test("send --quiet debounces, without a time", async () => {
  const argv = ["--message-key", "digest", "--quiet", "10m"];
  const debounce = { quietMs: 10 * minuteMs };
  const key = { key: "digest", onConflict: "debounce" };
  expect((await sent(...argv)).body).toEqual({ ...key, debounce });
  expect((await sent(...argv, "--on-conflict", "debounce", "--max-wait", "1h")).body).toEqual({
    ...key,
    debounce: { ...debounce, maxWaitMs: 60 * minuteMs },
  });
});

describe("--not-after", () => {
  test.each([
    [["--not-after", "18:00"], "2026-11-14T17:00:00.000Z", "2026-11-14T18:00:00+01:00"],
    [["--not-after", "9:00"], "2026-11-15T08:00:00.000Z", "2026-11-15T09:00:00+01:00"],
    [["--not-after", "+2h"], "2026-11-14T11:30:00.000Z", "2026-11-14T12:30:00+01:00"],
    [
      ["--at", "2026-12-24T08:00:00Z", "--not-after", "18:00"],
      "2026-12-24T17:00:00.000Z",
      "2026-12-24T18:00:00+01:00",
    ],
    [
      ["--in", "30d", "--not-after", "friday noon"],
      "2026-12-18T11:00:00.000Z",
      "2026-12-18T12:00:00+01:00",
    ],
    [
      ["--message-key", "k", "--quiet", "1d", "--not-after", "18:00"],
      "2026-11-15T17:00:00.000Z",
      "2026-11-15T18:00:00+01:00",
    ],
    [
      ["--in", "1h", "--not-after", "18:00", "--zone", "UTC"],
      "2026-11-14T18:00:00.000Z",
      "2026-11-14T18:00:00Z",
    ],
  ])("%j is the first after the delivery time, and stderr says so", async (argv, time, said) => {
    const { exitCode, body, stderr } = await sent(...argv);
    expect(exitCode).toBe(0);
    expect(body["notAfter"]).toBe(time);
    expect(stderr).toContain(`Not after ${said} (`);
  });

  test.each<[readonly string[], RegExp]>([
    [
      ["--in", "5m", "--not-after", "10:31"],
      /^Not after 2026-11-15T10:31:00\+01:00 .*\nAt the delivery time it is 10:31 or later already, so that of the next day is meant\.\n$/,
    ],
    [["--at", "9:00"], /^Due 2026-11-15T09:00:00\+01:00 \(Europe\/Berlin, in .*\)\.\n$/],
    [["--in", "5m", "--not-after", "18:00"], /^$/],
    [["--at", "tomorrow 9:00", "--not-after", "18:00"], /^$/],
    [["--in", "5m", "--not-after", "sunday 9:00"], /^$/],
  ])("send %j --json says on stderr only what was moved to the next day", async (argv, said) => {
    expect((await sent(...argv, "--json")).stderr).toMatch(said);
  });

  test("a time with a date is that time, also before the delivery time: the service refuses it", async () => {
    const { body } = await sent("--at", "2026-12-24T08:00:00Z", "--not-after", "tomorrow 18:00");
    expect(body["notAfter"]).toBe("2026-11-15T17:00:00.000Z");
  });

  test("a time that is written out needs no explanation", async () => {
    expect((await sent("--not-after", "2026-11-14T18:00:00Z")).stderr).toBe("");
  });
});

test.each([
  [["--label", "order:17"], /^--label must look like order=17, not "order:17"\n$/],
  [["--label", "order="], /^--label must look like order=17/],
  [["--label", "Order=17"], /^--label has the name "Order"; write a name with .*a-z/],
  [["--label", "a=1", "--label", "a=2"], /^--label is given twice for a: leave one out\n$/],
  [["--header", "nothing"], /^--header must look like "Name: value", not "nothing"\n$/],
  [["--not-after", "soon"], /^--not-after is not a time: "soon"; write it like/],
  [["--not-after", "2h", "--zone", "UTC"], /^--zone says how to read --at/],
  [["--flex", "10"], /^--flex has no unit/],
  [["--on-conflict", "keep"], /^--on-conflict is about .*--message-key\. .*API key/],
  [["--quiet", "10m"], /^--quiet is about .*--message-key/],
  [["--message-key", "k", "--max-wait", "1h"], /^Say how long .*--quiet 10m\.\n$/],
  [["--message-key", "k", "--on-conflict", "debounce"], /^Say how long .*--quiet 10m\.\n$/],
  [
    ["--message-key", "k", "--on-conflict", "keep", "--quiet", "1m"],
    /^--quiet means --on-conflict debounce: leave it out, or --on-conflict keep\.\n$/,
  ],
  [
    ["--message-key", "k", "--quiet", "1h", "--max-wait", "1m"],
    /^--max-wait 1m is shorter than --quiet 1h/,
  ],
  [["--message-key", "k", "--quiet", "1h", "--in", "1m"], /--quiet.* cannot be used with .*--in/],
  [["--message-key", "k", "--on-conflict", "maybe"], /Allowed choices are reject, keep, replace/],
  [["--message-key", ""], /^--message-key is empty/],
])("send %j is refused, and nothing is sent", async (argv, message) => {
  const { exitCode, body, stderr } = await sent(...argv);
  expect(exitCode).toBe(2);
  expect(body).toEqual({});
  expect(stderr).toMatch(message);
});

describe("--header-file", () => {
  function fileWith(text: string): string {
    const folder = mkdtempSync(join(tmpdir(), "postdate-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, "headers"), text);
    return join(folder, "headers");
  }

  test("takes headers from a file, besides those of --header", async () => {
    const file = fileWith("Authorization: Bearer s:ecret\r\n\nx-a: 1\n");
    const { body } = await sent("--header-file", file, "--header", "x-b: 2");
    expect(body["headers"]).toEqual({ Authorization: "Bearer s:ecret", "x-a": "1", "x-b": "2" });
  });

  test("takes headers from stdin, which cannot be the payload too", async () => {
    const terminal = await connected(() => ({ json: wireMessage() }), {
      stdin: standardInput("x-a: 1\n"),
    });
    expect(await terminal.run("send", "billing", "-", "--header-file", "-")).toBe(2);
    expect(terminal.stderr.text).toContain("stdin is either the payload or the headers");
    expect(terminal.asked).toEqual([]);
    expect(await terminal.run("send", "billing", "x", "--header-file", "-")).toBe(0);
    expect(terminal.asked[0]!.body).toMatchObject({ headers: { "x-a": "1" } });
  });

  test.each(["fine: 1\nsecret", ": secret"])(
    "does not repeat a line such as in %j",
    async (text) => {
      const { exitCode, stderr } = await sent("--header-file", fileWith(text));
      expect(exitCode).toBe(2);
      expect(stderr).toMatch(/^--header-file: line \d must look like "Name: value"\.\n$/);
    },
  );

  test("says what is wrong with the file", async () => {
    const { exitCode, stderr } = await sent("--header-file", "/does/not/exist");
    expect(exitCode).toBe(2);
    expect(stderr).toBe("Cannot read --header-file /does/not/exist: there is no such file.\n");
  });
});

describe("what became of the key", () => {
  async function answered(outcome: string, ...argv: readonly string[]) {
    const message = wireMessage({ key: "digest", nextDeliveryTime: "2026-11-14T09:40:00.000Z" });
    const terminal = await connected(
      () => ({ json: message, headers: { "postdate-key-outcome": outcome } }),
      { clock, timeZone: "Europe/Berlin" },
    );
    expect(await terminal.run("send", "billing", "x", "--message-key", "digest", ...argv)).toBe(0);
    return terminal;
  }
  const due = "; due 2026-11-14T10:40:00+01:00 (Europe/Berlin, in 10 min).\n";

  test.each([
    ["created", [], "New: no pending message had the key digest"],
    [
      "kept",
      ["--on-conflict", "keep", "--at", "tomorrow 9:00"],
      "Nothing new: a message with the key digest is pending already, and stays as it is",
    ],
    ["replaced", ["--on-conflict", "replace"], "Replaced the pending message with the key digest"],
    [
      "replaced",
      ["--on-conflict", "replaceKeepTime", "--at", "tomorrow 9:00"],
      "Replaced the pending message with the key digest, at its time",
    ],
    [
      "debounced",
      ["--quiet", "10m"],
      "Replaced the pending message with the key digest, which waits again",
    ],
  ])("%s after %j is a sentence with the time that counts", async (outcome, argv, said) => {
    expect((await answered(outcome, ...argv)).stderr.text).toBe(said + due);
  });

  test("is in the JSON, which has no sentence", async () => {
    const terminal = await answered("kept", "--on-conflict", "keep", "--json");
    expect(JSON.parse(terminal.stdout.text)).toMatchObject({ messageId, keyOutcome: "kept" });
    expect(terminal.stderr.text).toBe("");
  });

  test("a key that is taken comes with what to do", async () => {
    const errors = [{ code: "E-DI-5008", message: `The message ${messageId} has the key.` }];
    const terminal = await connected(() => ({ status: 409, json: { errors } }));
    expect(await terminal.run("send", "billing", "x", "--message-key", "k")).toBe(1);
    expect(terminal.stderr.text).toMatch(/^E-DI-5008: .*\n--on-conflict keep leaves .*replace /);
  });
});
