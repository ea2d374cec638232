import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { createLogger } from "./logger.ts";
import type { Timers } from "./timers.ts";

interface Told {
  readonly level: string;
  readonly msg: string;
  readonly repeated?: number;
  readonly requestId?: string;
  readonly err: { readonly message: string };
}

/** A logger whose time the test moves, ten seconds at once. */
function openLog() {
  const waiting = new Set<() => void>();
  const timers: Timers = {
    after(delayMs, callback) {
      expect(delayMs).toBe(10_000);
      waiting.add(callback);
      return { cancel: () => void waiting.delete(callback) };
    },
  };
  const stream = new PassThrough();
  const identity = { node: "embedded", pid: 7, version: "1.2.3" };
  const logger = createLogger<string>({ level: "info", format: "json", stream, identity, timers });
  return {
    logger,
    waiting,
    passTenSeconds() {
      for (const callback of [...waiting]) {
        waiting.delete(callback);
        callback();
      }
    },
    told: (): Told[] =>
      String(stream.read() ?? "")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line)),
  };
}

const lost = (id: number): Error =>
  Object.assign(new Error(`the connection ${id} is lost`), { code: "ECONNRESET" });

test("the same trouble has one line at first, and then one every ten seconds with its count", () => {
  const { logger, passTenSeconds, told, waiting } = openLog();
  const fail = (id: number): void =>
    logger.error({ err: lost(id), requestId: `req_${id}` }, `trouble while reading msg_${id}abc`);
  for (let id = 0; id < 5_000; id++) fail(id);
  expect(told()).toMatchObject([{ msg: "trouble while reading msg_0abc", requestId: "req_0" }]);
  passTenSeconds();
  expect(told()).toMatchObject([
    {
      level: "error",
      repeated: 4_999,
      requestId: "req_4999",
      err: { message: expect.stringContaining("4999") },
    },
  ]);
  fail(5_000);
  expect(told()).toEqual([]);
  passTenSeconds();
  expect(told()).toMatchObject([{ repeated: 1, requestId: "req_5000" }]);
  // After ten quiet seconds it is forgotten, and the next one is told at once.
  passTenSeconds();
  expect(told()).toEqual([]);
  expect(waiting.size).toBe(0);
  fail(5_001);
  const [again, ...more] = told();
  expect(again).toMatchObject({ requestId: "req_5001" });
  expect(again).not.toHaveProperty("repeated");
  expect(more).toEqual([]);
});

test("different troubles have lines of their own", () => {
  const { logger, told } = openLog();
  for (let round = 0; round < 3; round++) {
    logger.error({ err: lost(1) }, "request failed");
    logger.error({ err: Object.assign(lost(1), { code: "EPIPE" }) }, "request failed");
    logger.error({ err: new TypeError("a bug elsewhere") }, "request failed");
    logger.warn({ err: lost(1) }, "request failed");
    logger.warn({ err: lost(1) }, "store unavailable");
    logger.warn({ err: "no error" }, "store unavailable");
  }
  expect(told()).toHaveLength(6);
});

test("lines without an error, and fatal ones, are all written", () => {
  const { logger, told } = openLog();
  for (let round = 0; round < 3; round++) {
    logger.warn({ messageId: "msg_1" }, "attempt");
    logger.info({ err: lost(1) }, "attempt");
    logger.fatal({ err: lost(1) }, "the store has failed; restart to recover");
  }
  expect(told()).toHaveLength(9);
});

test("however many troubles there are, a bounded number is remembered", () => {
  const { logger, told, waiting } = openLog();
  for (let kind = 0; kind < 10_000; kind++) logger.error({ err: "x" }, `trouble ${kind}`);
  expect(told()).toHaveLength(101);
  expect(waiting.size).toBe(101);
});

test("a process that ends tells what it has only counted so far", () => {
  const { logger, told } = openLog();
  for (let round = 0; round < 8; round++) logger.warn({ err: lost(round) }, "store unavailable");
  expect(told()).toHaveLength(1);
  logger.tellRepeated();
  expect(told()).toMatchObject([{ repeated: 7 }]);
  logger.tellRepeated();
  expect(told()).toEqual([]);
});
