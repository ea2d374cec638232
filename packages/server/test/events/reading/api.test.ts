import { once } from "node:events";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { afterEach, expect, test, vi } from "vitest";
import { readPositionText } from "../../../src/domain/events/position-text.ts";
import { openStream } from "../../support/event-stream.ts";
import { openTestApi } from "../../../src/http/testing/open-test-api.ts";
import type { TestApi } from "../../../src/http/testing/open-test-api.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const later = "2999-01-01T00:00:00.000Z";

interface Listening {
  readonly api: TestApi;
  readonly url: string;
  readonly port: number;
  /** Schedules so many messages, each of which is an event. */
  happen(count: number): Promise<void>;
}

async function listening(...options: Parameters<typeof openTestApi>): Promise<Listening> {
  const api = await openTestApi(...options);
  closing.push(() => api.close());
  await api.app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = api.app.server.address() as AddressInfo;
  const target = { targetId: "t", url: "http://127.0.0.1:1/" };
  await api.call({ method: "POST", url: "/v1/targets", body: target });
  const endpoint = { endpointId: "e", kind: "stream", types: ["message.scheduled"] };
  await api.call({ method: "POST", url: "/v1/event-endpoints", body: endpoint });
  const labels = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`${i}`, "x".repeat(100)]));
  const message = { targetId: "t", deliveryTime: later, payload: "", labels };
  return {
    api,
    port,
    url: `http://127.0.0.1:${port}`,
    async happen(count) {
      for (let left = count; left > 0; left -= 1_000) {
        const messages = Array.from({ length: Math.min(left, 1_000) }, () => message);
        const body = { messages };
        const { statusCode } = await api.call({ method: "POST", url: "/v1/messages/batch", body });
        expect(statusCode).toBe(200);
      }
    },
  };
}

test("what has left the log is a gap in a stream, and refuses a call", async () => {
  const { api, url, happen } = await listening({}, { eventRetentionMs: 1 });
  const path = "/v1/event-endpoints/e/events";
  await happen(2);
  const { events } = (await api.call({ method: "GET", url: `${path}?from=oldest` })).json();
  await vi.waitFor(async () => {
    expect((await api.store.removeOldEvents(10)).removed).toBe(0);
    expect((await api.store.logSpans(["acc_default"])).get("acc_default")?.removedUpTo).toBe(2);
  });
  const [first, second] = events;
  const asked = await api.call({ method: "GET", url: `${path}?after=${first.position}` });
  expect([asked.statusCode, asked.json().errors[0].code]).toEqual([410, "E-DI-8002"]);
  // Whoever has seen the last event misses nothing.
  const atEnd = await api.call({ method: "GET", url: `${path}?after=${second.position}` });
  expect(atEnd.json()).toEqual({ events: [], nextPosition: second.position });

  await using stream = await openStream(url, "e", {
    ...{ key: api.rootKey, lastEventId: first.position },
  });
  expect(await stream.next()).toEqual({ retry: "2000" });
  const gap = { position: second.position };
  expect(await stream.next()).toEqual({ event: "postdate.gap", data: JSON.stringify(gap) });
  await happen(1);
  const [next] = await stream.events(1);
  expect(next!["type"]).toBe("postdate.message.scheduled.v1");
});

/** A reader who has taken nothing yet, once the server waits for it. */
async function idleReader({ api, port }: Listening, key: string) {
  const reads = vi.spyOn(api.store, "readEvents");
  const socket = connect(port, "127.0.0.1");
  closing.push(async () => void socket.destroy());
  socket.write(
    "GET /v1/event-endpoints/e/stream?from=oldest HTTP/1.1\r\nHost: x\r\n" +
      `Authorization: Bearer ${key}\r\n\r\n`,
  );
  // The system keeps some megabytes for a connection. Once they are full, nothing more is read.
  let seen = -1;
  await vi.waitFor(
    () => {
      const before = seen;
      seen = reads.mock.calls.length;
      if (seen === 0 || seen !== before) throw new Error("still reading");
    },
    { timeout: 60_000, interval: 1_000 },
  );
  return { socket, reads: seen };
}

test("the log is read only as fast as a reader reads", async () => {
  const { api, happen, ...world } = await listening();
  const count = 20_000;
  await happen(count);
  const { socket, reads } = await idleReader({ api, happen, ...world }, api.rootKey);
  expect(reads * 50).toBeLessThan(count * 0.75);
  const positions: string[] = [];
  let text = "";
  await new Promise<void>((resolve) => {
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1");
      const end = text.lastIndexOf("\n");
      for (const [, id] of text.slice(0, end).matchAll(/^id: (\S+)$/gm)) positions.push(id!);
      text = text.slice(end);
      if (positions.length >= count) resolve();
    });
  });
  const numbers = positions.map((id) => readPositionText(id)?.position);
  expect(numbers).toEqual(Array.from({ length: count }, (_, index) => index + 1));
});

test("readers at the same place share one read", async () => {
  const { api, url, happen } = await listening();
  const streams = await Promise.all(
    Array.from({ length: 30 }, () => openStream(url, "e", { key: api.rootKey })),
  );
  for (const stream of streams) {
    closing.push(() => stream.close());
    await stream.next();
  }
  const reads = vi.spyOn(api.store, "readEvents");
  await happen(1);
  for (const stream of streams) await stream.events(1);
  expect(reads.mock.calls.length).toBeLessThan(10);
});

test("of a reader who takes nothing the connection goes with its key, and with it what waits to be sent", async () => {
  const { api, happen, ...world } = await listening();
  await happen(20_000);
  const body = { name: "reader", scopes: ["scheduler.all.read"] };
  const made = await api.call({ method: "POST", url: "/v1/keys", body });
  const { key, keyId } = made.json();
  const { socket } = await idleReader({ api, happen, ...world }, key);
  await api.call({ method: "DELETE", url: `/v1/keys/${keyId}` });
  const { server } = api.app;
  const connections = promisify(server.getConnections.bind(server));
  await vi.waitFor(async () => expect(await connections()).toBe(0), 10_000);
  const closed = once(socket, "close");
  socket.resume();
  await expect(closed).rejects.toMatchObject({ code: "ECONNRESET" });
});

test("a call that waits for its turn is told nothing once its key was revoked", async () => {
  const { api, happen } = await listening();
  await happen(1);
  const body = { name: "reader", scopes: ["scheduler.all.read"] };
  const made = await api.call({ method: "POST", url: "/v1/keys", body });
  const { key, keyId } = made.json();
  const revoked = Promise.withResolvers<void>();
  const read = api.store.readEvents.bind(api.store);
  const reads = vi.spyOn(api.store, "readEvents").mockImplementation(async (...given) => {
    await revoked.promise;
    return read(...given);
  });
  const url = "/v1/event-endpoints/e/events?from=oldest";
  const calls = Array.from({ length: 5 }, () => api.call({ method: "GET", url, key }));
  await vi.waitFor(() => expect(reads).toHaveBeenCalled());
  await api.call({ method: "DELETE", url: `/v1/keys/${keyId}` });
  await happen(1);
  revoked.resolve();
  for (const { statusCode } of await Promise.all(calls)) expect(statusCode).toBe(401);
});
