import { fastify } from "fastify";
import type { FastifyInstance } from "fastify";
import { afterEach, beforeEach, expect, test } from "vitest";
import { cutQuietConnections } from "./quiet-connections.ts";
import { connectRaw, head } from "./testing/raw-connection.ts";

let app: FastifyInstance;
let now: number;
let look: () => void;

beforeEach(async () => {
  now = 0;
  app = fastify();
  app.get("/", async () => "here");
  cutQuietConnections(app, {
    clock: { monotonic: () => now },
    timers: {
      after(_delayMs, callback) {
        look = callback;
        return { cancel: () => {} };
      },
    },
    quietMs: 100,
    lookEveryMs: 10,
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
});
afterEach(async () => {
  app.server.closeAllConnections();
  await app.close();
});

test("a connection on which nothing has moved for long is cut, one that is used goes on", async () => {
  const used = await connectRaw(app);
  const quiet = await connectRaw(app);
  for (const each of [used, quiet]) {
    each.send(head("GET", "/"));
    await each.received(/here/);
  }
  look();
  now = 99;
  used.send(head("GET", "/"));
  await used.received(/here[^]*here/);
  look();
  now = 100;
  look();
  await quiet.closed;
  now = 198;
  look();
  used.send(head("GET", "/"));
  expect(await used.received(/here[^]*here[^]*here/)).toContain("200 OK");
});
