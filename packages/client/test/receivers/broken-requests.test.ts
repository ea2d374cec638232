import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { secret, signedHeaders } from "../../src/webhook/testing/signed-request.ts";
import { frameworks } from "./frameworks.ts";

function head(headers: Record<string, string>, method = "POST"): string {
  const lines = Object.entries({ host: "receiver", "content-type": "text/plain", ...headers });
  return `${method} /hook HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
}

/** All that arrives until the connection ends, be it with a reset. */
async function received(socket: Socket): Promise<string> {
  let text = "";
  socket.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  socket.on("error", () => {});
  await new Promise((resolve) => socket.once("close", resolve));
  return text;
}

const receivers = ["node:http", "Express", "Fastify", "Hono"];

describe.each(receivers)("%s", (name) => {
  test("a body without an end is refused at the bound, and its connection closed", async () => {
    const url = await frameworks[name]!({ secret, onError: () => {} }, () => {});
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.write(head({ ...signedHeaders(), "transfer-encoding": "chunked" }));
    // More than the bound, and then nothing: the receiver must not wait for the rest.
    for (let piece = 0; piece < 5; piece++) socket.write(`10000\r\n${"x".repeat(65_536)}\r\n`);
    expect(await received(socket)).toMatch(/^HTTP\/1\.1 413 /);
  });

  test("a sender that goes away does not reach the handler, and the receiver goes on", async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const url = await frameworks[name]!({ secret, onError: resolve }, () => {});
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    await once(socket, "connect");
    socket.write(`${head({ ...signedHeaders(), "content-length": "5" })}hel`, () => {
      socket.resetAndDestroy();
    });
    expect(await promise).toMatchObject({ reason: "unreadable-body" });
    const again = await fetch(`${url}/hook`, {
      method: "POST",
      headers: signedHeaders(),
      body: "hello",
    });
    expect(again.status).toBe(204);
  });
});

test("a sender that gives only the headers of a stranger is answered before its body", async () => {
  const url = await frameworks["node:http"]!({ secret }, () => {});
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.write(head({ "content-length": "1000" }));
  expect(await received(socket)).toMatch(/^HTTP\/1\.1 401 [^]*connection: close/i);
});

test("Fastify keeps its parsers outside the receiver", async () => {
  const url = await frameworks["Fastify"]!({ secret }, () => {});
  const response = await fetch(`${url}/json`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"a":1}',
  });
  expect(await response.json()).toEqual({ parsed: { a: 1 } });
});

test("another method than POST gets 405 where the receiver is the whole server", async () => {
  const url = await frameworks["node:http"]!({ secret }, () => {});
  const response = await fetch(`${url}/hook`);
  expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
});
