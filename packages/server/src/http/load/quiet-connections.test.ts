import { fastify } from "fastify";
import type { FastifyInstance } from "fastify";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { systemRandom } from "../../platform/random.ts";
import { answerBrokenRequest } from "../errors/broken-requests.ts";
import { noteUnsent, unfinishedRequest } from "./unsent-answers.ts";
import { cutQuietConnections } from "./quiet-connections.ts";
import { connectRaw, head } from "../testing/raw-connection.ts";
import type { RawConnection } from "../testing/raw-connection.ts";

let app: FastifyInstance;
let now: number;
let look: () => void;
let letIn: () => void;

beforeEach(async () => {
  now = 0;
  app = fastify({ clientErrorHandler: answerBrokenRequest(systemRandom, {}) });
  app.get("/", async () => "here");
  app.post("/", async () => "here");
  const open = Promise.withResolvers<void>();
  letIn = () => open.resolve();
  app.post("/guarded", { onRequest: () => open.promise }, async () => "here");
  app.post(
    "/refused",
    { onRequest: async (_request, reply) => reply.code(401).send("no") },
    () => {},
  );
  app.addHook("onRequest", (request, reply, done) => {
    noteUnsent(request.raw, reply.raw);
    done();
  });
  cutQuietConnections(app, {
    clock: { monotonic: () => now },
    timers: {
      after(_delayMs, callback) {
        look = callback;
        return { cancel: () => {} };
      },
    },
    quietMs: 100,
    bodyQuietMs: 50,
    lookEveryMs: 10,
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
});
afterEach(async () => {
  app.server.closeAllConnections();
  await app.close();
});

const peerOf = ({ peer }: RawConnection) => peer!;
const isBeingRead = (each: RawConnection) => unfinishedRequest(peerOf(each))?.isRead === true;

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

const json = { "content-type": "application/json", "content-length": 100 };

test("a body that does not come on is cut sooner, and told so", async () => {
  const stalled = await connectRaw(app);
  const moving = await connectRaw(app);
  for (const each of [stalled, moving]) {
    each.send(head("POST", "/", json) + '{"a":');
    await vi.waitUntil(() => isBeingRead(each), { timeout: 60_000 });
  }
  look();
  now = 49;
  moving.send('"');
  await vi.waitUntil(() => peerOf(moving).bytesRead > peerOf(stalled).bytesRead, {
    timeout: 60_000,
  });
  look();
  expect(stalled.text()).toBe("");
  now = 50;
  look();
  expect(await stalled.closed).toMatch(/^HTTP\/1.1 408 /);
  expect(moving.text()).toBe("");
  now = 99;
  look();
  expect(await moving.closed).toMatch(/^HTTP\/1.1 408 /);
});

test("of a body that we do not read yet nobody is to blame", async () => {
  const waiting = await connectRaw(app);
  waiting.send(`${head("POST", "/guarded", { ...json, "content-length": 2 })}{`);
  await vi.waitUntil(() => peerOf(waiting).bytesRead > 0, { timeout: 60_000 });
  look();
  now = 60;
  look();
  letIn();
  await vi.waitUntil(() => isBeingRead(waiting), { timeout: 60_000 });
  waiting.send("}");
  expect(await waiting.received(/here/)).toMatch(/^HTTP\/1.1 200 /);
});

test("a body that was refused and never comes ends with its connection", async () => {
  const refused = await connectRaw(app);
  refused.send(head("POST", "/refused", json));
  await refused.received(/401/);
  look();
  now = 50;
  look();
  expect((await refused.closed).match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 401"]);
});

test("a client that keeps its side open after the end is cut at the next look", async () => {
  const stubborn = await connectRaw(app, { allowHalfOpen: true });
  stubborn.send(head("POST", "/", json) + "{");
  await vi.waitUntil(() => isBeingRead(stubborn), { timeout: 60_000 });
  look();
  now = 50;
  look();
  await stubborn.received(/HTTP\/1.1 408 /);
  await vi.waitUntil(() => peerOf(stubborn).writableFinished, { timeout: 60_000 });
  look();
  look();
  await stubborn.gone;
  expect(peerOf(stubborn).destroyed).toBe(true);
});
