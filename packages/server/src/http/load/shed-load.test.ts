import { fastify } from "fastify";
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from "fastify";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { systemClock } from "../../platform/clock.ts";
import { systemRandom } from "../../platform/random.ts";
import { systemTimers } from "../../platform/timers.ts";
import { answerErrorsWith } from "../errors/answer-errors.ts";
import { LoadWatch } from "./load-watch.ts";
import { shedLoad } from "./shed-load.ts";
import type { ShedReason } from "./shed-load.ts";
import { connectRaw, head } from "../testing/raw-connection.ts";
import type { RawConnection } from "../testing/raw-connection.ts";
import { turnAwayWith } from "../admission/turned-away.ts";

const megabyte = 1_048_576;
const octets = { "content-type": "application/octet-stream" };

let app: FastifyInstance;
let reasons: ShedReason[];
let usedBytes: number;
/** Lets the requests to /held answer. Each reports that it has begun. */
let release: () => void;
let begun: number;
let atTheDoor: number;
let letIn: number;

beforeEach(async () => {
  reasons = [];
  usedBytes = 0;
  begun = 0;
  atTheDoor = 0;
  letIn = 0;
  let open = Promise.withResolvers<void>();
  release = () => {
    open.resolve();
    open = Promise.withResolvers();
  };
  app = fastify();
  // One account may have three of four requests, and half of the bytes: 4.5 MiB of large bodies and 1.5 of small ones.
  const door = shedLoad(app, {
    maxRequests: 4,
    trustProxies: [],
    leastBodyLimit: megabyte,
    bodyBudgetBytes: 12 * megabyte,
    watch: new LoadWatch({
      clock: systemClock,
      timers: systemTimers,
      readHeap: () => ({ usedBytes, limitBytes: 1_000 }),
      maxLoopDelayMs: 500,
    }),
    turnAway: turnAwayWith({ fraction: Math.random }),
    hasStarted: () => true,
    onShed: (reason) => reasons.push(reason),
  });
  app.addContentTypeParser(octets["content-type"], (request: FastifyRequest, payload, done) =>
    door.readBody(request, payload, done),
  );
  app.setErrorHandler(answerErrorsWith(pino({ enabled: false }), turnAwayWith(systemRandom)));
  const onRequest: onRequestHookHandler = (request, reply, done) => {
    if (!door.letIn(request, reply, "one account")) return;
    letIn++;
    done();
  };
  const held = async () => {
    begun++;
    await open.promise;
    return { held: true };
  };
  app.get("/healthz", { config: { access: "anyone", isProbe: true } }, async () => ({ ok: true }));
  app.get("/v1/quick", { onRequest }, async () => ({ ok: true }));
  app.get("/v1/held", { onRequest }, held);
  app.post("/oauth/token", { bodyLimit: megabyte }, async () => ({ ok: true }));
  app.post("/v1/single", { onRequest, bodyLimit: megabyte }, async () => ({ ok: true }));
  app.post("/v1/batch", { onRequest, bodyLimit: 4 * megabyte }, async () => ({ ok: true }));
  const asked: onRequestHookHandler = (request, reply, done) => {
    atTheDoor++;
    void open.promise.then(() => onRequest.call(app, request, reply, done));
  };
  app.post("/v1/guarded", { bodyLimit: 4 * megabyte, onRequest: asked }, async () => ({
    ok: true,
  }));
  await app.listen({ host: "127.0.0.1", port: 0 });
});
afterEach(async () => {
  release();
  app.server.closeAllConnections();
  await app.close();
});

const get = (path: string) =>
  fetch(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}${path}`);
const post = (path: string, bytes: number) =>
  fetch(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}${path}`, {
    method: "POST",
    headers: octets,
    body: Buffer.alloc(bytes, "x"),
  });
const reached = (count: number) =>
  vi.waitUntil(() => begun === count, { interval: 1, timeout: 60_000 });

async function expectTurnedAway(answer: Response): Promise<void> {
  expect(answer.status).toBe(503);
  expect(answer.headers.get("retry-after")).toMatch(/^[123]$/);
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(await answer.json()).toEqual({
    errors: [{ code: "E-DI-9002", message: expect.stringContaining("Send it again") }],
  });
}

describe("requests under way", () => {
  test("those beyond the limit are turned away at once, but never who asks for health", async () => {
    const first = [get("/v1/held"), get("/v1/held"), get("/v1/held")];
    await reached(3);
    await expectTurnedAway(await get("/v1/quick"));
    await expectTurnedAway(await post("/v1/single", 10));
    expect((await post("/oauth/token", 10)).status).toBe(200);
    expect((await get("/healthz")).status).toBe(200);
    release();
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200, 200]);
    for (const _ of [1, 2, 3]) expect((await get("/v1/quick")).status).toBe(200);
    expect(reasons).toEqual(["requests", "requests"]);
  });

  test("a client that hangs up while it sends gives its place back", async () => {
    const slow = [await connectRaw(app), await connectRaw(app), await connectRaw(app)];
    for (const each of slow) {
      each.send(head("POST", "/v1/single", { ...octets, "content-length": 100 }));
    }
    // Whatever asks before all three are in may take the place of one.
    await vi.waitUntil(() => letIn === 3, { interval: 1, timeout: 60_000 });
    await expectTurnedAway(await get("/v1/quick"));
    for (const each of slow) each.socket.destroy();
    await Promise.all(slow.map(({ gone }) => gone));
    for (const _ of [1, 2, 3]) expect((await get("/v1/quick")).status).toBe(200);
  });

  test("also one that hangs up before anything of its body was read", async () => {
    const strangers = [await connectRaw(app), await connectRaw(app)];
    for (const each of strangers) {
      each.send(head("POST", "/v1/guarded", { ...octets, "content-length": 100 }));
    }
    await vi.waitUntil(() => atTheDoor === 2, { interval: 1, timeout: 60_000 });
    for (const each of strangers) each.socket.destroy();
    await Promise.all(strangers.map(({ gone }) => gone));
    release();
    for (const _ of [1, 2, 3]) expect((await get("/v1/quick")).status).toBe(200);
    const all = [get("/v1/held"), get("/v1/held"), get("/v1/held")];
    await reached(3);
    release();
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test("work that was begun counts to its end, also when its client has given up", async () => {
    const impatient = [await connectRaw(app), await connectRaw(app), await connectRaw(app)];
    for (const each of impatient) each.send(head("GET", "/v1/held"));
    await reached(3);
    for (const each of impatient) each.socket.destroy();
    await Promise.all(impatient.map(({ gone }) => gone));
    await expectTurnedAway(await get("/v1/quick"));
    release();
    await vi.waitUntil(async () => (await get("/v1/quick")).status === 200, {
      interval: 5,
      timeout: 60_000,
    });
  });

  test("requests sent in one go on one connection count one by one, and all give back", async () => {
    const many = await connectRaw(app);
    many.send(head("GET", "/v1/held").repeat(5));
    await reached(3);
    await expectTurnedAway(await get("/v1/quick"));
    many.socket.destroy();
    await many.gone;
    release();
    await vi.waitUntil(async () => (await get("/v1/quick")).status === 200, {
      interval: 5,
      timeout: 60_000,
    });
    const all = [get("/v1/held"), get("/v1/held"), get("/v1/held")];
    await reached(6);
    await expectTurnedAway(await get("/v1/quick"));
    release();
    await Promise.all(all);
  });

  test("connections are bounded too", async () => {
    const idle: RawConnection[] = [];
    // One address may have eight ninths of the twenty connections.
    while (idle.length < 17) idle.push(await connectRaw(app));
    const beyond = await connectRaw(app);
    expect(await beyond.closed).toBe("");
    expect(reasons).toEqual(["connections"]);
    for (const each of idle) each.socket.destroy();
    await Promise.all(idle.map(({ gone }) => gone));
    expect((await get("/v1/quick")).status).toBe(200);
  });
});

describe("bytes of bodies under way", () => {
  /** A body of 4 MiB of which 3 have arrived. A body of 2 MiB does not fit beside it. */
  async function sendMost(path = "/v1/batch"): Promise<RawConnection> {
    const slow = await connectRaw(app);
    slow.send(head("POST", path, { ...octets, "content-length": 4 * megabyte }));
    slow.send(Buffer.alloc(3 * megabyte));
    return slow;
  }
  /** What asks before the 3 MiB are in may take their room, and then the slow one is turned away. */
  async function expectNoRoomBeside({ peer }: RawConnection): Promise<void> {
    await vi.waitUntil(() => peer!.bytesRead > 3 * megabyte, { interval: 1, timeout: 60_000 });
    await expectTurnedAway(await post("/v1/batch", 2 * megabyte));
  }

  test("large ones share three quarters of the budget; a quarter is for small ones", async () => {
    const slow = await sendMost();
    await expectNoRoomBeside(slow);
    expect((await post("/v1/single", megabyte)).status).toBe(200);
    expect((await get("/v1/quick")).status).toBe(200);
    expect(reasons).toEqual(["bodies"]);
    slow.send(Buffer.alloc(megabyte));
    expect(await slow.received(/\{"ok":true\}/)).toMatch(/^HTTP\/1.1 200 /);
    expect((await post("/v1/batch", 4 * megabyte)).status).toBe(200);
  });

  test("a body that was begun and is dropped gives its bytes back", async () => {
    const slow = await sendMost();
    await expectNoRoomBeside(slow);
    slow.socket.destroy();
    await slow.gone;
    expect((await post("/v1/batch", 4 * megabyte)).status).toBe(200);
  });

  test("one of unknown length counts for what has come of it", async () => {
    const slow = await connectRaw(app);
    slow.send(head("POST", "/v1/batch", { ...octets, "transfer-encoding": "chunked" }));
    slow.send("a\r\n0123456789\r\n");
    expect((await post("/v1/batch", 4 * megabyte)).status).toBe(200);
    slow.send(`${(3 * megabyte).toString(16)}\r\n`);
    slow.send(Buffer.alloc(3 * megabyte));
    await expectNoRoomBeside(slow);
    slow.send("\r\n0\r\n\r\n");
    expect(await slow.received(/\{"ok":true\}/)).toMatch(/^HTTP\/1.1 200 /);
    expect((await post("/v1/batch", 4 * megabyte)).status).toBe(200);
  });

  test("one beyond its route's limit is refused for that, and held by nobody", async () => {
    expect((await post("/v1/single", 5 * megabyte)).status).toBe(413);
    expect(reasons).toEqual([]);
    expect((await post("/v1/batch", 4 * megabyte)).status).toBe(200);
  });

  test("a request that is not let in yet holds no bytes", async () => {
    const slow = await sendMost("/v1/guarded");
    await vi.waitUntil(() => atTheDoor === 1, { interval: 1, timeout: 60_000 });
    expect((await post("/v1/batch", 4 * megabyte)).status).toBe(200);
    release();
    await expectNoRoomBeside(slow);
  });

  test("a client that sends all of a refused body first still gets its answer, and may go on", async () => {
    await expectNoRoomBeside(await sendMost());
    const stubborn = await connectRaw(app);
    stubborn.socket.pause();
    stubborn.send(head("POST", "/v1/batch", { ...octets, "content-length": 3 * megabyte }));
    await new Promise<void>((sent) =>
      stubborn.socket.write(Buffer.alloc(3 * megabyte), () => sent()),
    );
    stubborn.send(head("GET", "/v1/quick"));
    stubborn.socket.resume();
    const answers = await stubborn.received(/\{"ok":true\}/);
    expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 503", "HTTP/1.1 200"]);
  });
});

describe("the process itself", () => {
  const block = (ms: number): void => {
    const until = performance.now() + ms;
    while (performance.now() < until);
  };

  test("while the event loop cannot keep up, only who asks for health is answered", async () => {
    for (const _ of [1, 2]) {
      block(800);
      await pause(0);
    }
    await expectTurnedAway(await get("/v1/quick"));
    expect((await get("/healthz")).status).toBe(200);
    expect(reasons).toEqual(["event-loop"]);
    await vi.waitUntil(async () => (await get("/v1/quick")).status === 200, { timeout: 60_000 });
  });

  test("and while the heap is nearly full", async () => {
    usedBytes = 950;
    await vi.waitUntil(async () => (await get("/v1/quick")).status === 503, { timeout: 60_000 });
    await expectTurnedAway(await get("/v1/quick"));
    expect((await get("/healthz")).status).toBe(200);
    expect(new Set(reasons)).toEqual(new Set(["memory"]));
    usedBytes = 100;
    await vi.waitUntil(async () => (await get("/v1/quick")).status === 200, { timeout: 60_000 });
  });
});
