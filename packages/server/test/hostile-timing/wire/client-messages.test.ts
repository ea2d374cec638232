import { expect, test } from "vitest";
import { ClientMessages } from "./client-messages.ts";
import type { ClientMessage } from "./client-messages.ts";

const text = (...parts: string[]): Buffer => Buffer.from(parts.map((part) => `${part}\0`).join(""));

function frame(type: string, body: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.from(`${type}\0\0\0\0`, "latin1");
  head.writeUInt32BE(body.length + 4, type.length);
  return Buffer.concat([head, body]);
}

const code = (number: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(number);
  return bytes;
};
const encryption = frame("", code(80_877_103));
const login = frame("", Buffer.concat([code(196_608), text("user", "postgres", "")]));
const password = frame("p", text("secret"));
const begin = frame("Q", text("BEGIN"));
const prepared = Buffer.concat([
  frame("P", text("record", "INSERT …", "")),
  frame("B", text("", "record")),
  frame("E", text("")),
  frame("S"),
]);
const again = Buffer.concat([frame("B", text("", "record")), frame("E", text("")), frame("S")]);
const unnamed = Buffer.concat([
  frame("P", text("", "SELECT $1", "")),
  frame("B", text("", "")),
  frame("E", text("")),
  frame("S"),
]);
const goodbye = frame("X");

const sent = [encryption, login, password, begin, prepared, again, unnamed, goodbye];
const understood: ClientMessage[] = [
  { kind: "encryption request" },
  { kind: "other", bytes: login },
  { kind: "other", bytes: password },
  { kind: "statement", name: "BEGIN", bytes: begin },
  { kind: "statement", name: "record", bytes: prepared },
  { kind: "statement", name: "record", bytes: again },
  { kind: "statement", name: "SELECT $1", bytes: unnamed },
  { kind: "other", bytes: goodbye },
];

test("statements of a client are recognised by name or by text", () => {
  expect([...new ClientMessages().read(Buffer.concat(sent))]).toEqual(understood);
});

test("recognition works wherever the network cuts the bytes", () => {
  for (const size of [1, 2, 3, 7, 64]) {
    const messages = new ClientMessages();
    const all = Buffer.concat(sent);
    const read: ClientMessage[] = [];
    for (let at = 0; at < all.length; at += size) {
      read.push(...messages.read(all.subarray(at, at + size)));
    }
    expect(read).toEqual(understood);
  }
});
