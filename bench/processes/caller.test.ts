import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { Caller } from "./caller.ts";

let close: () => void = () => {};
afterEach(() => {
  vi.useRealTimers();
  close();
});

/** A server that gives the answers one after the other, and sends each piece as a separate packet. */
async function callerOf(...answers: readonly (readonly string[])[]): Promise<Caller> {
  let asked = 0;
  const write = async (socket: Socket, pieces: readonly string[]): Promise<void> => {
    for (const piece of pieces) {
      await new Promise<void>((resolve) => {
        socket.write(piece, () => setImmediate(resolve));
      });
    }
  };
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on("data", () => void write(socket, answers[asked++]!));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const caller = await Caller.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  close = () => {
    caller.close();
    server.close();
  };
  return caller;
}

const request = Buffer.from("POST / HTTP/1.1\r\n\r\n");
const whole = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";

test("an answer counts when it is complete, in any number of pieces", async () => {
  const caller = await callerOf(
    [whole],
    ["HTTP/1.1 200 OK\r\nconte", "nt-length: 7\r\n\r", '\n{"', 'a":', "1}"],
    [whole],
  );
  for (const _ of [1, 2, 3]) await expect(caller.send(request)).resolves.toBeUndefined();
});

test("any status except 200 fails with the text of the answer", async () => {
  const refusal = "HTTP/1.1 429 Too Many Requests\r\ncontent-length: 4\r\n\r\nlate";
  const caller = await callerOf([whole], [refusal]);
  await caller.send(request);
  await expect(caller.send(request)).rejects.toThrow("answered with 429: late");
});

test("refusals inside the first answer are noticed, with any status", async () => {
  const body = '{"results":[{"errors":[]}]}';
  const caller = await callerOf([
    `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  ]);
  await expect(caller.send(request)).rejects.toThrow('"errors"');
});

test("a connection that was idle for long counts as old, before the server closes it", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const caller = await callerOf([whole], [whole]);
  vi.advanceTimersByTime(20_000);
  await caller.send(request);
  vi.advanceTimersByTime(29_000);
  expect(caller.isFresh).toBe(true);
  vi.advanceTimersByTime(2_000);
  expect(caller.isFresh).toBe(false);
});
