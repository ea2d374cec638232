import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { mostIdleConnections } from "./idle-connections.ts";
import { deliveryTo, openTarget } from "./testing/deliveries.ts";

/**
 * A receiver at every address of this machine, which asks for its connections to be kept. It answers
 * requests for /held once the test says so.
 */
async function startReceiver() {
  const open = new Set<Socket>();
  const held = Promise.withResolvers<() => unknown>();
  let made = 0;
  const server: Server = createServer({ keepAliveTimeout: 300_000 }, (request, response) => {
    request.resume();
    request.on("end", () => {
      const answer = (): unknown => response.setHeader("keep-alive", "timeout=600").end("ok");
      if (request.url === "/held") held.resolve(answer);
      else answer();
    });
  });
  server.on("connection", (socket) => {
    made++;
    open.add(socket);
    socket.on("close", () => open.delete(socket));
  });
  server.listen(0, "0.0.0.0");
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (origin: number) => `http://127.0.1.${origin}:${port}/`,
    /** Resolves with the function that answers the held request. */
    held: held.promise,
    made: () => made,
    openCount: () => open.size,
  };
}

const origins = Array.from({ length: 20 }, (_, index) => index + 1);

test("idle connections to many receivers are bounded, and the longest idle ones close", async () => {
  const receiver = await startReceiver();
  const target = openTarget({}, { mostIdleConnections: 5 });
  const deliver = async (origin: number): Promise<string> =>
    (await target.deliver(deliveryTo(receiver.urlOf(origin)))).outcome;
  for (const origin of origins) expect(await deliver(origin)).toBe("DELIVERED");
  await expect.poll(receiver.openCount).toBe(5);
  expect(receiver.made()).toBe(20);
  // The latest five are still there.
  for (const origin of origins.slice(-5)) expect(await deliver(origin)).toBe("DELIVERED");
  expect(receiver.made()).toBe(20);
  expect(await deliver(1)).toBe("DELIVERED");
  expect(receiver.made()).toBe(21);
});

test("a connection that is used again is not idle", async () => {
  const receiver = await startReceiver();
  const target = openTarget({}, { mostIdleConnections: 2 });
  for (const origin of [1, 2]) await target.deliver(deliveryTo(receiver.urlOf(origin)));
  const waiting = target.deliver(deliveryTo(`${receiver.urlOf(1)}held`));
  const answer = await receiver.held;
  for (const origin of [3, 4]) await target.deliver(deliveryTo(receiver.urlOf(origin)));
  answer();
  expect(await waiting).toMatchObject({ outcome: "DELIVERED" });
  expect(receiver.made()).toBe(4);
});

test("attempts to many receivers at once all succeed, whatever is kept afterwards", async () => {
  const receiver = await startReceiver();
  const target = openTarget({}, { mostIdleConnections: 1 });
  for (let round = 0; round < 3; round++) {
    const reports = await Promise.all(
      origins.map((origin) => target.deliver(deliveryTo(receiver.urlOf(origin)))),
    );
    expect(new Set(reports.map(({ outcome }) => outcome))).toEqual(new Set(["DELIVERED"]));
  }
  await expect.poll(receiver.openCount).toBe(1);
});

test.each([
  [Infinity, 1_024],
  [1_048_576, 1_024],
  [1_024, 256],
  [64, 16],
  [1, 1],
])("with %d open files, %d idle connections are kept", (mostOpenFiles, kept) => {
  expect(mostIdleConnections(mostOpenFiles)).toBe(kept);
});
