import { Socket } from "node:net";
import { expect, test } from "vitest";
import { skipContinue } from "./skip-continue.ts";

const continues = "HTTP/1.1 100 Continue\r\n\r\n";
const answer = "HTTP/1.1 200 OK\r\n\r\n";

interface Limits {
  readonly isAwaitingAnswer?: boolean;
  readonly mostBytes?: number;
  readonly mostInterim?: number;
}

function read(bytes: string, limits: Limits = {}): string | undefined {
  const { mostBytes = Infinity, mostInterim = Infinity } = limits;
  let bytesCount = 0;
  let interimCount = 0;
  const reader = {
    isAwaitingAnswer: limits.isAwaitingAnswer ?? true,
    receivedBytes(count: number) {
      bytesCount += count;
      if (bytesCount > mostBytes) this.isAwaitingAnswer = false;
    },
    receivedInterim() {
      interimCount += 1;
      if (interimCount > mostInterim) this.isAwaitingAnswer = false;
    },
  };
  const socket = skipContinue(new Socket(), () => reader);
  socket.push(bytes);
  const chunk: unknown = socket.read();
  socket.destroy();
  return chunk instanceof Buffer ? chunk.toString() : undefined;
}

test("removes any number of them before the answer", () => {
  expect(read(continues + answer)).toBe(answer);
  expect(read(continues + continues + answer)).toBe(answer);
});

test("leaves nothing of one without an answer", () => {
  expect(read(continues)).toBeUndefined();
});

test("leaves every other answer alone", () => {
  expect(read(answer)).toBe(answer);
  expect(read("HTTP/1.1 10")).toBe("HTTP/1.1 10");
});

test("leaves a body alone that looks like a 100", () => {
  expect(read(continues, { isAwaitingAnswer: false })).toBe(continues);
});

test("passes nothing on once the attempt has ended itself", () => {
  expect(read(continues + answer, { mostInterim: 1 })).toBe(answer);
  expect(read(continues + continues + answer, { mostInterim: 1 })).toBeUndefined();
  expect(read(answer, { mostBytes: answer.length })).toBe(answer);
  expect(read(answer, { mostBytes: answer.length - 1 })).toBeUndefined();
});
