import { Socket } from "node:net";
import { expect, test } from "vitest";
import { skipContinue } from "./skip-continue.ts";

const continues = "HTTP/1.1 100 Continue\r\n\r\n";
const answer = "HTTP/1.1 200 OK\r\n\r\n";

function read(bytes: string, isAwaitingAnswer: boolean): string | undefined {
  const socket = skipContinue(new Socket(), () => isAwaitingAnswer);
  socket.push(bytes);
  const chunk: unknown = socket.read();
  socket.destroy();
  return chunk instanceof Buffer ? chunk.toString() : undefined;
}

test("cuts out what stands before the answer, however often", () => {
  expect(read(continues + answer, true)).toBe(answer);
  expect(read(continues + continues + answer, true)).toBe(answer);
});

test("nothing is left of one that stands alone", () => {
  expect(read(continues, true)).toBeUndefined();
});

test("leaves every other answer alone", () => {
  expect(read(answer, true)).toBe(answer);
  expect(read("HTTP/1.1 10", true)).toBe("HTTP/1.1 10");
});

test("leaves a body alone that looks like one", () => {
  expect(read(continues, false)).toBe(continues);
});
