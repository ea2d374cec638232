import { expect, test } from "vitest";
import { connected } from "../testing/connected-terminal.ts";
import { messageId, wireAttempt } from "../testing/samples.ts";

const failed = wireAttempt({
  endTime: "2026-11-14T09:30:03.063Z",
  outcome: "BAD_STATUS",
  statusCode: 503,
  error: "the target answered 503",
  response: "down\n\u001b[2Jfor maintenance",
});
const delivered = wireAttempt({ number: 2, response: "ok" });

test("attempts shows the target's answer, which cannot control the terminal", async () => {
  const terminal = await connected(() => ({ json: { messageId, attempts: [failed, delivered] } }));
  expect(await terminal.run("attempts", messageId)).toBe(0);
  const lines = terminal.stdout.text.trimEnd().split("\n");
  expect(lines[1]).toMatch(/^1 .* 3\.06 s +BAD_STATUS +503 +the target answered 503$/);
  expect(lines[2]).toBe("   answer: down\\n\\u001b[2Jfor maintenance");
  expect(lines[3]).toMatch(/^2 .* 12 ms +DELIVERED +200 +-$/);
  expect(lines[4]).toBe("   answer: ok");
  expect(terminal.stderr.text).toBe("");
});

test("an empty answer, or one that the key may not see, has no line", async () => {
  const silent = [wireAttempt({ response: null }), wireAttempt({ number: 2, response: "" })];
  const terminal = await connected(() => ({ json: { messageId, attempts: silent } }));
  await terminal.run("attempts", messageId);
  expect(terminal.stdout.text).not.toContain("answer");
});

test("on a terminal an answer is cut to the width, and a hint says how to see the rest", async () => {
  const attempts = [wireAttempt({ response: "x".repeat(1_024) })];
  const terminal = await connected(() => ({ json: { messageId, attempts } }), {}, 90);
  await terminal.run("attempts", messageId);
  expect(terminal.stdout.text).toContain(`   answer: ${"x".repeat(78)}…\n`);
  expect(terminal.stderr.text).toContain("--json");
});

test("target test shows the answer too", async () => {
  const terminal = await connected(() => ({
    json: { targetId: "billing", messageId, attempt: failed },
  }));
  expect(await terminal.run("target", "test", "billing")).toBe(1);
  expect(terminal.stdout.text).toContain("answer: down\\n");
});
