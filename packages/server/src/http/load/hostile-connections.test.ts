import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, test, vi } from "vitest";
import { systemClock } from "../../platform/clock.ts";
import { systemTimers } from "../../platform/timers.ts";
import type { HttpOptions } from "../http-options.ts";
import type { ShedReason } from "./shed-load.ts";
import { openTestApi, operatorKey } from "../testing/open-test-api.ts";
import type { TestApi } from "../testing/open-test-api.ts";
import { connectRaw, head } from "../testing/raw-connection.ts";
import type { RawConnection } from "../testing/raw-connection.ts";

const kilobyte = 1_024;
const megabyte = kilobyte * kilobyte;
const json = { "content-type": "application/json" };
const chunked = { ...json, "transfer-encoding": "chunked" };
const last = head("GET", "/healthz", { connection: "close" });

let api: TestApi;
let shed: ShedReason[];
const connections: RawConnection[] = [];
afterEach(async () => {
  for (const { socket } of connections.splice(0)) socket.destroy();
  api.app.server.closeAllConnections();
  await api.close();
});

interface Changes extends Partial<HttpOptions> {
  readonly maxRequests?: number;
  readonly maxLoopDelayMs?: number;
  readonly trustProxies?: readonly string[];
}

async function open(changes: Changes = {}): Promise<void> {
  const { maxRequests = 1_000, maxLoopDelayMs = Infinity, trustProxies = [], ...others } = changes;
  shed = [];
  api = await openTestApi({
    observer: { shed: (reason) => void shed.push(reason), limited() {}, answered() {} },
    limits: {
      maxRequests,
      maxLoopDelayMs,
      tokenRequestLimit: { max: 100_000, intervalMs: 1_000 },
      trustProxies,
      publicUrl: null,
    },
    ...others,
  });
  await api.app.listen({ host: "127.0.0.1", port: 0 });
}

async function connect(localAddress = "127.0.0.1"): Promise<RawConnection> {
  const connection = await connectRaw(api.app, { localAddress });
  connections.push(connection);
  return connection;
}

async function accountKey(): Promise<string> {
  const made = await api.call({ method: "POST", url: "/v1/accounts", body: {}, key: operatorKey });
  return made.json<{ key: string }>().key;
}

const statusesIn = (text: string) =>
  [...text.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => Number(status));
const statusOf = async (url: string, key: string | null = null) =>
  (await api.call({ method: "GET", url, key })).statusCode;
const patiently = { timeout: 20_000, interval: 5 };
const settled = (check: () => Promise<boolean>) => vi.waitUntil(check, patiently);

describe("requests sent before the answers were read", () => {
  test.each(["/nope", "/metrics", "/v1/targets"])(
    "%s, by the thousand: the connection is closed at the eleventh",
    async (path) => {
      await open();
      let begun = 0;
      api.app.server.prependListener("request", () => void begun++);
      const hasty = await connect();
      hasty.send(head("GET", path).repeat(1_500) + last);
      expect(statusesIn(await hasty.closed).length).toBeLessThanOrEqual(10);
      expect(begun).toBe(11);
      expect(shed).toEqual(["pipelines"]);
    },
  );

  test("a handful is answered in order, and any number one after the other", async () => {
    await open();
    const connection = await connect();
    connection.send(head("GET", "/v1/targets").repeat(9) + head("GET", "/healthz"));
    await connection.received(/"status":"ok"/);
    for (let count = 11; count < 30; count++) {
      connection.send(head("GET", "/healthz"));
      await vi.waitUntil(() => statusesIn(connection.text()).length === count, patiently);
    }
    const statuses = statusesIn(connection.text());
    expect(statuses).toEqual([...Array(9).fill(401), ...Array(20).fill(200)]);
    expect(shed).toEqual([]);
  });
});

/** The request that reads the payload of a message with this payload. */
async function askForPayload(key: string, payload: string): Promise<string> {
  const target = { targetId: "t", url: "http://127.0.0.1:1/" };
  await api.call({ method: "POST", url: "/v1/targets", body: target, key });
  const message = { targetId: "t", deliveryTime: "2999-01-01T00:00:00Z", payload };
  const made = await api.call({ method: "POST", url: "/v1/messages", body: message, key });
  const path = `/v1/messages/${made.json<{ messageId: string }>().messageId}/payload`;
  expect(await statusOf(path, key)).toBe(200);
  return head("GET", path, { authorization: `Bearer ${key}` });
}

describe("large answers that are not read", () => {
  test.each([
    ["they are read", ({ socket }: RawConnection) => socket.resume()],
    ["their connection is gone", ({ socket }: RawConnection) => socket.destroy()],
  ])("count for their account, until %s", async (_name, end) => {
    await open({ bodyBudgetBytes: 4 * megabyte });
    const [deaf, other] = [await accountKey(), await accountKey()];
    const ask = await askForPayload(deaf, "\u0001".repeat(61_440));
    const connection = await connect();
    const { socket, peer, send } = connection;
    socket.pause();
    // The kernel buffers the first few megabytes.
    while (peer!.writableLength === 0) {
      const before = peer!.bytesWritten;
      send(ask);
      await vi.waitUntil(() => peer!.bytesWritten > before, patiently);
    }
    send(ask.repeat(8));
    await settled(async () => (await statusOf("/v1/targets", deaf)) === 503);
    expect(await statusOf("/v1/targets", other)).toBe(200);
    expect(new Set(shed)).toEqual(new Set(["requests"]));

    end(connection);
    await settled(async () => (await statusOf("/v1/targets", deaf)) === 200);
  });

  test("of the metrics: an address that does not read them gets no more, another one does", async () => {
    const metricsText = async () => ({
      contentType: "text/plain",
      body: "x".repeat(16 * megabyte),
    });
    await open({ maxRequests: 16, metricsText });
    const deaf = [await connect(), await connect()];
    for (const { socket, send } of deaf) {
      socket.pause();
      send(head("GET", "/metrics"));
    }
    await settled(async () => (await statusOf("/metrics")) === 503);
    const other = await connect("127.0.0.2");
    other.send(head("GET", "/metrics"));
    expect(await other.received(/HTTP/)).toMatch(/^HTTP\/1.1 200 /);
    for (const { socket } of deaf) socket.destroy();
    await settled(async () => (await statusOf("/metrics")) === 200);
  });
});

describe("small answers that cannot be sent yet", () => {
  const readiness = { ready: true, reasons: [] };
  let becomeReady: () => void;

  /** The first answer of each connection waits, so the answers to these requests wait behind it. */
  async function askBehindOther(requests: string, count: number): Promise<RawConnection[]> {
    const asking: RawConnection[] = [];
    while (asking.length < count) {
      const connection = await connect();
      const sent = head("GET", "/readyz") + requests;
      connection.send(sent);
      await vi.waitUntil(() => connection.peer!.bytesRead === sent.length, patiently);
      asking.push(connection);
    }
    return asking;
  }

  async function openWaiting(): Promise<void> {
    const waiting = Promise.withResolvers<typeof readiness>();
    becomeReady = () => waiting.resolve(readiness);
    // One account may have a megabyte of unsent answers.
    await open({ bodyBudgetBytes: 4 * megabyte, readiness: () => waiting.promise });
  }

  test.each([
    ["short texts, each below what a large answer has", "x".repeat(15_000), 9],
    ["few characters of three bytes each", "\u6f22".repeat(16_000), 3],
  ])("count for their account by their bytes: %s", async (_name, payload, count) => {
    await openWaiting();
    const [hasty, other] = [await accountKey(), await accountKey()];
    const ask = await askForPayload(hasty, payload);
    const asking = await askBehindOther(ask.repeat(9), count);
    await settled(async () => (await statusOf("/v1/targets", hasty)) === 503);
    expect(await statusOf("/v1/targets", other)).toBe(200);

    becomeReady();
    await settled(async () => (await statusOf("/v1/targets", hasty)) === 200);
    for (const { text } of asking) {
      await vi.waitUntil(() => statusesIn(text()).length === 10, patiently);
    }
  });

  test("give their bytes back when their connection is gone", async () => {
    await openWaiting();
    const hasty = await accountKey();
    const ask = await askForPayload(hasty, "x".repeat(15_000));
    const asking = await askBehindOther(ask.repeat(9), 9);
    await settled(async () => (await statusOf("/v1/targets", hasty)) === 503);
    for (const { socket } of asking) socket.destroy();
    await Promise.all(asking.map(({ gone }) => gone));
    expect(await statusOf("/v1/targets", hasty)).toBe(200);
    becomeReady();
  });

  test("the smallest ones keep their place", async () => {
    const waiting = Promise.withResolvers<typeof readiness>();
    await open({ maxRequests: 20, readiness: () => waiting.promise });
    const [hasty, other] = [await accountKey(), await accountKey()];
    expect(await statusOf("/v1/targets", hasty)).toBe(200);
    const answers: ServerResponse[] = [];
    api.app.server.on("request", ({ url }, answer) => {
      if (url === "/v1/targets") answers.push(answer);
    });
    const ask = head("GET", "/v1/targets", { authorization: `Bearer ${hasty}` });
    await askBehindOther(ask.repeat(9), 2);
    await vi.waitUntil(() => answers.filter((one) => one.writableEnded).length === 18, patiently);
    // Eight ninths of twenty are seventeen places.
    expect(await statusOf("/v1/targets", hasty)).toBe(503);
    expect(await statusOf("/v1/targets", other)).toBe(200);
    waiting.resolve(readiness);
    await settled(async () => (await statusOf("/v1/targets", hasty)) === 200);
  });
});

describe("the rest of a body that was refused", () => {
  const crumbs = "1\r\n[\r\n".repeat(40_000);
  const refusals = [
    ["/nope", 404],
    ["/v1/messages", 401],
  ] as const;

  async function sendOn(path: string, status: number, headers: object, rest: string) {
    await open();
    const stubborn = await connect();
    stubborn.send(head("POST", path, { ...json, ...headers }));
    await stubborn.received(new RegExp(`HTTP/1.1 ${status} [^]*\r\n\r\n\\{`));
    stubborn.send(rest + last);
    return statusesIn(await stubborn.closed);
  }

  test.each(refusals)("%s: a stranger's in crumbs is not read to its end", async (path, status) => {
    const rest = `${crumbs}0\r\n\r\n`;
    const answers = await sendOn(path, status, { "transfer-encoding": "chunked" }, rest);
    expect(answers).toEqual([status]);
  });

  test.each(refusals)("%s: nor is one of more than a megabyte", async (path, status) => {
    const length = 4 * megabyte;
    const answers = await sendOn(path, status, { "content-length": length }, " ".repeat(length));
    expect(answers).toEqual([status]);
  });

  test.each(refusals)(
    "%s: an ordinary one is, and the connection goes on",
    async (path, status) => {
      const length = 512 * kilobyte;
      const answers = await sendOn(path, status, { "content-length": length }, " ".repeat(length));
      expect(answers).toEqual([status, 200]);
    },
  );
});

test("a body in more than a thousand tiny pieces is refused, and the connection closed", async () => {
  await open();
  const key = await accountKey();
  const connection = await connect();
  const asking = { ...chunked, authorization: `Bearer ${key}` };
  connection.send(head("POST", "/v1/messages/batch", asking) + "1\r\n \r\n".repeat(1_001));
  // The end of the body, in case the server reads on.
  connection.send("0\r\n\r\n");
  const answer = await connection.closed;
  expect(statusesIn(answer)).toEqual([400]);
  expect(answer).toContain("Send it in larger ones.");
  expect(answer).toContain("\r\nconnection: close\r\n");
});

test("a thousand pieces of some length are fine", async () => {
  await open();
  const key = await accountKey();
  const connection = await connect();
  const asking = { ...chunked, authorization: `Bearer ${key}` };
  const piece = `80\r\n${" ".repeat(128)}\r\n`;
  connection.send(`${head("POST", "/v1/messages/batch", asking)}${piece.repeat(2_000)}`);
  connection.send("2\r\n{}\r\n0\r\n\r\n");
  expect(await connection.received(/"field":"messages"/)).toMatch(/^HTTP\/1.1 400 /);
});

describe("connections of one address", () => {
  /** How many of these connections are not closed at once. */
  async function openMany(count: number): Promise<number> {
    const all: RawConnection[] = [];
    while (all.length < count) all.push(await connect());
    const answered = all.map(({ send, received, closed }) => {
      send(head("GET", "/healthz"));
      const answer = received(/"status":"ok"/).then(
        () => 1,
        () => 0,
      );
      return Promise.race([answer, closed.then(() => 0)]);
    });
    return (await Promise.all(answered)).reduce((sum, one) => sum + one, 0);
  }

  test("are eight ninths of all: another address still gets in", async () => {
    await open({ maxRequests: 4 });
    expect(await openMany(20)).toBe(17);
    expect(shed).toEqual(["connections", "connections", "connections"]);
    const other = await connect("127.0.0.2");
    other.send(head("GET", "/healthz"));
    expect(await other.received(/"status":"ok"/)).toMatch(/^HTTP\/1.1 200 /);

    const first = connections.splice(0);
    for (const { socket } of first) socket.destroy();
    await Promise.all(first.map(({ gone }) => gone));
    expect(await openMany(17)).toBe(17);
  });

  /** Opens connections from an address until one is refused. Each has its answer and is idle. */
  async function fillFrom(address: string): Promise<RawConnection[]> {
    const held: RawConnection[] = [];
    for (;;) {
      const connection = await connect(address);
      connection.send(head("GET", "/healthz"));
      const isIn = await isAnswered(connection);
      if (!isIn) return held;
      held.push(connection);
    }
  }
  const isAnswered = ({ received, closed }: RawConnection) => {
    const answered = received(/"status":"ok"/).then(
      () => true,
      () => false,
    );
    return Promise.race([answered, closed.then(() => false)]);
  };
  const openIn = (all: readonly RawConnection[]) =>
    all.filter(({ peer }) => !peer!.destroyed).length;
  const ask = async (address: string) => {
    const connection = await connect(address);
    connection.send(head("GET", "/healthz"));
    return isAnswered(connection);
  };

  test("of a few addresses: another one gets in, and as many as they have", async () => {
    await open({ maxRequests: 4 });
    const hogs = ["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5"];
    const held: RawConnection[][] = [];
    for (const hog of hogs) held.push(await fillFrom(hog));
    expect(openIn(held.flat())).toBe(20);
    expect(held.map(openIn)).toEqual([5, 5, 5, 5]);
    shed.length = 0;
    for (let count = 1; count <= 4; count++) expect(await ask("127.0.0.6")).toBe(true);
    expect(shed).toEqual(Array(4).fill("connections"));
    expect(held.map(openIn)).toEqual([4, 4, 4, 4]);
    // Now all have the same, so nobody gets more.
    expect(await ask("127.0.0.6")).toBe(false);
    expect(held.map(openIn)).toEqual([4, 4, 4, 4]);
    // An address that has none still gets one.
    expect(await ask("127.0.0.7")).toBe(true);
    expect(openIn(held.flat())).toBe(15);
  });

  test("of a proxy find room too, if other addresses have taken it", async () => {
    await open({ maxRequests: 4, trustProxies: ["127.0.0.1/32"] });
    for (const hog of ["127.0.0.2", "127.0.0.3", "127.0.0.4"]) await fillFrom(hog);
    for (let count = 1; count <= 10; count++) expect(await ask("127.0.0.1")).toBe(true);
  });

  test("are closed only if no request is under way, those unused for longest first", async () => {
    const readiness = Promise.withResolvers<{ ready: boolean; reasons: string[] }>();
    await open({ maxRequests: 4, readiness: () => readiness.promise });
    const held = await fillFrom("127.0.0.2");
    expect(held).toHaveLength(17);
    const [busy, used, ...idle] = held;
    const before = busy!.peer!.bytesRead;
    busy!.send(head("GET", "/readyz"));
    await vi.waitUntil(() => busy!.peer!.bytesRead > before, patiently);
    for (const { send, text } of [...idle, used!]) {
      send(head("GET", "/healthz"));
      await vi.waitUntil(() => statusesIn(text()).length === 2, patiently);
    }
    const others = await fillFrom("127.0.0.3");
    expect(openIn(others)).toBe(9);
    expect([openIn([busy!, used!]), openIn(idle)]).toEqual([2, 8]);
    expect(openIn(idle.slice(0, 7))).toBe(0);
    readiness.resolve({ ready: true, reasons: [] });
    await busy!.received(/"ready":true/);
  });

  test("are not counted where it is that of a proxy, which may have all there are", async () => {
    await open({ maxRequests: 4, trustProxies: ["127.0.0.1/32"] });
    expect(await openMany(20)).toBe(20);
    const beyond = await connect();
    expect(await beyond.closed).toBe("");
    expect(shed).toEqual(["connections"]);
  });
});

test("while the event loop is late, strangers are turned away before callers are", async () => {
  let now = 0;
  let look = (): void => {};
  await open({
    maxLoopDelayMs: 500,
    clock: { now: () => systemClock.now(), monotonic: () => now },
    timers: {
      after(delayMs, callback) {
        if (delayMs !== 250) return systemTimers.after(delayMs, callback);
        look = callback;
        return { cancel() {} };
      },
    },
  });
  const statuses = async (delayMs: number) => {
    for (let count = 0; count < 2; count++) {
      now += 250 + delayMs;
      look();
    }
    return [await statusOf("/openapi.json"), await statusOf("/v1/keys", api.rootKey)];
  };
  expect(await statuses(249)).toEqual([200, 200]);
  expect(await statuses(250)).toEqual([503, 200]);
  expect(await statuses(500)).toEqual([503, 503]);
  await statuses(0);
  expect(await statuses(0)).toEqual([200, 200]);
});

describe("Expect: 100-continue", () => {
  const expecting = { ...json, expect: "100-continue", "content-length": 2 };

  test.each([
    ["/nope", 404],
    ["/v1/messages", 401],
  ])("%s: a stranger is refused at once, and the connection ends", async (path, status) => {
    await open();
    const connection = await connect();
    connection.send(head("POST", path, expecting));
    connection.send(`{}${last}`);
    const answer = await connection.closed;
    expect(statusesIn(answer)).toEqual([status]);
    expect(answer).toContain("\r\nconnection: close\r\n");
  });

  test("a body that is larger than its route takes is refused at once", async () => {
    await open();
    const connection = await connect();
    const headers = { ...expecting, "content-length": megabyte };
    connection.send(
      head("POST", "/v1/keys", { ...headers, authorization: `Bearer ${api.rootKey}` }),
    );
    expect(statusesIn(await connection.closed)).toEqual([413]);
  });

  test("a caller is asked for its body, and the connection goes on", async () => {
    await open();
    const connection = await connect();
    connection.send(
      head("POST", "/v1/messages", { ...expecting, authorization: `Bearer ${api.rootKey}` }),
    );
    await connection.received(/100 Continue\r\n\r\n/);
    connection.send(`{}${last}`);
    expect(statusesIn(await connection.closed)).toEqual([100, 400, 200]);
  });
});

describe("an expectation that nobody knows", () => {
  const expecting = { ...chunked, expect: "x" };

  test.each(["x", "", "100-continue, x", "200-ok"])(
    "Expect: %s is refused in the usual format, before the credential",
    async (expectation) => {
      await open();
      const connection = await connect();
      connection.send(head("POST", "/v1/messages", { ...expecting, expect: expectation }));
      const answer = await connection.received(/\r\n\r\n\{.*\}/);
      expect(answer).toMatch(/^HTTP\/1.1 400 /);
      expect(answer).toMatch(/\r\nx-request-id: /);
      expect(JSON.parse(answer.slice(answer.indexOf("{")))).toEqual({
        errors: [
          {
            code: "E-DI-1001",
            message: "Leave the Expect header out, or send Expect: 100-continue.",
            field: "Expect",
          },
        ],
      });
    },
  );

  test("its body is not read to its end", async () => {
    await open();
    const stubborn = await connect();
    stubborn.send(head("POST", "/v1/messages", expecting));
    await stubborn.received(/HTTP\/1.1 \d+ [^]*\r\n\r\n/);
    stubborn.send(`${"1\r\n[\r\n".repeat(40_000)}0\r\n\r\n${last}`);
    expect(statusesIn(await stubborn.closed)).toEqual([400]);
  });

  test("by the thousand: the connection is closed at the eleventh", async () => {
    await open();
    const hasty = await connect();
    hasty.send(head("GET", "/nope", { expect: "x" }).repeat(1_500) + last);
    expect(statusesIn(await hasty.closed).length).toBeLessThanOrEqual(10);
    expect(shed).toEqual(["pipelines"]);
  });

  test("100-continue is known however it is written, and HTTP/1.0 has no expectations", async () => {
    await open();
    const connection = await connect();
    const twice = { "content-length": 0, expect: "100-Continue, 100-continue" };
    connection.send(head("GET", "/healthz", { ...twice, connection: "close" }));
    expect(statusesIn(await connection.closed)).toEqual([200]);
    const old = await connect();
    old.send(head("GET", "/healthz", { expect: "x" }).replace("HTTP/1.1", "HTTP/1.0"));
    expect(statusesIn(await old.closed)).toEqual([200]);
  });
});
