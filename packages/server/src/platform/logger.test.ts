import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { createLogger } from "./logger.ts";

const hostile =
  'x\n{"level":"fatal"}\r\n09:30:00.000 FATAL forged\u001b[31m\u007f\u009b2J\u2028\u202egnp';
// oxlint-disable-next-line no-control-regex -- the test checks that these are absent
const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]/;

const identity = { node: "host:7:abcdef", pid: 7, version: "1.2.3" };

function written(format: "json" | "pretty"): string[] {
  const stream = new PassThrough();
  const logger = createLogger<string>({ level: "trace", format, stream, identity });
  const err = new Error(hostile);
  logger.error({ err, name: hostile, nested: { name: hostile }, [hostile]: 1 }, hostile);
  return String(stream.read()).split("\n");
}

test("a JSON line stays one line, without control characters, and keeps its meaning", () => {
  const [line = "", ...rest] = written("json");
  expect(rest).toEqual([""]);
  expect(line).not.toMatch(controls);
  expect(JSON.parse(line)).toMatchObject({
    ...identity,
    msg: hostile,
    name: hostile,
    nested: { name: hostile },
  });
});

test("pretty output: one line, then the stack, which cannot be mistaken for a log line", () => {
  const [line, ...stack] = written("pretty");
  expect(line).toMatch(/^\d\d:\d\d:\d\d\.\d{3} error x\\u000a/);
  expect(stack.length).toBeGreaterThan(3);
  for (const each of stack.slice(0, -1)) expect(each).toMatch(/^ {4}/);
  expect([line, ...stack].join("")).not.toMatch(controls);
  expect(line).not.toContain("host:7:abcdef");
});

test("the message of a cause is told, and once", () => {
  const stream = new PassThrough();
  const logger = createLogger<string>({ level: "info", format: "json", stream, identity });
  const cause = new Error("connection refused");
  logger.fatal({ err: new Error("no store: connection refused", { cause }) }, "x");
  logger.fatal({ err: new Error("no store", { cause }) }, "x");
  const lines = String(stream.read()).trimEnd().split("\n");
  for (const line of lines) {
    const { err } = JSON.parse(line) as { readonly err: Record<string, unknown> };
    expect(err).toMatchObject({ type: "Error", message: "no store: connection refused" });
    expect(err["stack"]).toContain("caused by: Error: connection refused");
  }
  expect(lines).toHaveLength(2);
});
