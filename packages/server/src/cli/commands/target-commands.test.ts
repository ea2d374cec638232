import { expect, test } from "vitest";
import { connected } from "../testing/connected-terminal.ts";
import { messageId, wireAttempt, wireTarget } from "../testing/samples.ts";

const target = wireTarget();

test("target add turns its options into the target's fields", async () => {
  const terminal = await connected(() => ({ json: wireTarget({ secret: "whsec_x" }) }));
  const argv = ["--id", "b", "--header", "X-A: 1: 2", "--header", "X-B:", "--content-type", "a/b"];
  const limits = [
    "--timeout",
    "5s",
    "--max-concurrency",
    "3",
    "--max-attempts",
    "4",
    "--rate",
    "10/s",
  ];
  const secret = ["--secret", "whsec_x"];
  expect(
    await terminal.run("target", "add", "https://x.example", ...argv, ...limits, ...secret),
  ).toBe(0);
  expect(terminal.asked[0]!.body).toMatchObject({
    targetId: "b",
    headers: { "X-A": "1: 2", "X-B": "" },
    contentType: "a/b",
    timeoutMs: 5_000,
    maxConcurrency: 3,
    retryPolicy: { maxAttempts: 4 },
    rateLimit: { max: 10, intervalMs: 1_000 },
    secret: "whsec_x",
  });
  expect(terminal.stdout.text).toContain("whsec_x");
  expect(terminal.stderr.text).toContain("not shown again");
});

test.each([
  ["--header", "no colon"],
  ["--rate", "10"],
  ["--rate", "10/0s"],
  ["--rate", "x/s"],
  ["--timeout", "5"],
  ["--max-attempts", "0"],
])("target add refuses %s %s", async (flag, value) => {
  const terminal = await connected(() => ({ json: target }));
  expect(await terminal.run("target", "add", "https://x.example", flag, value)).toBe(2);
  expect(terminal.stderr.text).toContain(flag);
  expect(terminal.asked).toEqual([]);
});

test("target test fails when the test was not delivered", async () => {
  const failed = wireAttempt({
    outcome: "TIMEOUT",
    statusCode: null,
    error: "no answer in 15 s",
  });
  const terminal = await connected(() => ({
    json: { targetId: "billing", messageId, attempt: failed },
  }));
  expect(await terminal.run("target", "test", "billing")).toBe(1);
  expect(terminal.stdout.text).toContain("TIMEOUT");
  expect(terminal.stderr.text).toBe("Not delivered: no answer in 15 s\n");
});
