import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { standardInput } from "../testing/command-line.ts";
import { connected } from "../testing/connected-terminal.ts";
import { messageId, wireMessage, wireTarget } from "../testing/samples.ts";

const message = wireMessage();
const time = "2027-01-01T09:00:00+01:00";

test("send takes its payload byte for byte from a file or stdin, and its time from --in or now", async () => {
  const content = "\ufefflines\r\nand 😀\n";
  const directory = mkdtempSync(join(tmpdir(), "postdate-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "payload");
  writeFileSync(file, content);
  const terminal = await connected(() => ({ json: message }), {
    stdin: standardInput(content),
  });
  expect(await terminal.run("send", "billing", "--file", file, "--in", "1m30s")).toBe(0);
  expect(await terminal.run("send", "billing", "-", "--idempotency-key", "k1")).toBe(0);
  expect(await terminal.run("send", "billing", "")).toBe(0);
  const [fromFile, fromStdin, empty] = terminal.asked;
  expect(fromFile!.body).toMatchObject({
    payload: content,
    delayMs: 90_000,
  });
  expect(fromStdin!.body).toMatchObject({
    payload: content,
    delayMs: 0,
  });
  expect(fromStdin!.headers["idempotency-key"]).toBe("k1");
  expect(empty!.body).toMatchObject({ payload: "" });
});

test("send refuses to guess: no payload, two payloads, no UTF-8, no such file, no such time", async () => {
  const terminal = await connected(() => ({ json: message }), {
    stdin: standardInput(Buffer.of(0xff, 0xfe)),
  });
  expect(await terminal.run("send", "billing")).toBe(2);
  expect(await terminal.run("send", "billing", "x", "--file", "y")).toBe(2);
  expect(await terminal.run("send", "billing", "-")).toBe(2);
  expect(await terminal.run("send", "billing", "--file", "/does/not/exist")).toBe(2);
  expect(terminal.stderr.text).toContain("--file /does/not/exist: there is no such file.");
  expect(await terminal.run("send", "billing", "--file", tmpdir())).toBe(2);
  expect(terminal.stderr.text).toContain("it is a directory.");
  expect(await terminal.run("send", "billing", "x", "--in", "soon")).toBe(2);
  expect(await terminal.run("send", "billing", "x", "--in", "9999999d")).toBe(2);
  expect(await terminal.run("send", "billing", "x", "--at", "2026-02-30T00:00:00Z")).toBe(2);
  expect(await terminal.run("send", "billing", "x", "--in", "1s", "--at", time)).toBe(2);
  expect(await terminal.run("reschedule", messageId)).toBe(2);
  expect(terminal.asked).toEqual([]);
});

test("send --wait reads the message until it has ended, reports retries, and shows the end", async () => {
  const states = [
    wireMessage(),
    wireMessage(),
    wireMessage({ deliveryFailureCount: 1, nextDeliveryTime: "2026-11-14T09:30:01.000Z" }),
    wireMessage({ state: "DELIVERED", nextDeliveryTime: null }),
  ];
  const terminal = await connected(({ path }) => ({
    json: path === "/v1/targets/billing" ? wireTarget() : states.shift(),
  }));
  expect(await terminal.run("send", "billing", "x", "--wait", "--json")).toBe(0);
  expect(terminal.asked.map(({ method }) => method)).toEqual(["POST", "GET", "GET", "GET", "GET"]);
  expect(JSON.parse(terminal.stdout.text)).toMatchObject({ state: "DELIVERED" });
  expect(terminal.stderr.text).toMatch(
    /Scheduled msg_.*\nFailed attempts so far: 1; next 2026-11-14T09:30:01/,
  );
});

test.each(["DEAD_LETTER", "CANCELLED"] as const)(
  "send --wait fails when the message ends as %s",
  async (state) => {
    const terminal = await connected(({ method }) => ({
      json: method === "POST" ? message : wireMessage({ state, nextDeliveryTime: null }),
    }));
    expect(await terminal.run("send", "billing", "x", "--wait")).toBe(1);
    expect(terminal.stdout.text).toContain(state);
    expect(terminal.stderr.text).toContain(`Not delivered: the message is ${state}.`);
    expect(terminal.stderr.text.includes(`postdate attempts ${messageId} says why.`)).toBe(
      state === "DEAD_LETTER",
    );
  },
);

test.each([
  ["says once that the target is paused", { json: wireTarget({ paused: true }) }, 1],
  ["says nothing about a target that is not paused", { json: wireTarget() }, 0],
  ["goes on when the key may not read targets", { status: 403, json: { errors: [] } }, 0],
])("send --wait %s", async (_what, target, times) => {
  const ended = wireMessage({ state: "DELIVERED", nextDeliveryTime: null });
  const states = [message, message, message, ended];
  const terminal = await connected(({ path }) =>
    path.startsWith("/v1/targets/") ? target : { json: states.shift() },
  );
  expect(await terminal.run("send", "billing", "x", "--wait")).toBe(0);
  const said = /paused: .*`postdate target resume billing`/g;
  expect(terminal.stderr.text.match(said) ?? []).toHaveLength(times);
});

test.each(["SIGINT", "SIGTERM"] as const)(
  "%s ends send --wait, and the command says what became of the message",
  async (signal) => {
    const later = wireMessage({ nextDeliveryTime: "9999-01-01T00:00:00.000Z" });
    const terminal = await connected(({ path }) => ({
      json: path.startsWith("/v1/targets/") ? wireTarget({ paused: true }) : later,
    }));
    const running = terminal.run("send", "billing", "x", "--wait");
    // It begins to wait in the same turn.
    await terminal.stderr.shows(/paused/);
    terminal.signal(signal);
    expect(await running).toBe(1);
    expect(terminal.stderr.text).toMatch(
      new RegExp(`Stopped waiting\\. .*\n.postdate get ${messageId}. shows it, .*cancels it\\.\n$`),
    );
    expect(terminal.stdout.text).toBe("");
  },
);

test("without a time and with --in, the service counts the delay, so that a repeat asks for the same", async () => {
  const terminal = await connected(() => ({ json: message }));
  const repeat = ["send", "billing", "x", "--in", "1h", "--idempotency-key", "k"];
  expect([await terminal.run(...repeat), await terminal.run(...repeat)]).toEqual([0, 0]);
  const [first, second] = terminal.asked;
  expect(first!.body).toEqual({ targetId: "billing", delayMs: 3_600_000, payload: "x" });
  expect(second!.body).toEqual(first!.body);
  await terminal.run("reschedule", messageId, "--in", "1m");
  expect(terminal.asked[2]!.body).toEqual({ delayMs: 60_000 });
});
