import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemTimers } from "../../platform/timers.ts";
import type { Timers } from "../../platform/timers.ts";
import { openTestApi } from "../testing/open-test-api.ts";
import type { TestApi } from "../testing/open-test-api.ts";
import { connectRaw, head } from "../testing/raw-connection.ts";
import type { RawConnection } from "../testing/raw-connection.ts";

/** Longer than a busy machine keeps a head that was sent in one piece. */
const headersMs = 1_500;
const lookEveryMs = 20;
const afterEachLook = new Set<() => void>();
/** Tells when the server has looked at its connections. */
const timers: Timers = {
  after: (delayMs, callback) =>
    systemTimers.after(delayMs, () => {
      callback();
      if (delayMs === lookEveryMs) for (const each of afterEachLook) each();
    }),
};

const readiness = Promise.withResolvers<{ ready: boolean; reasons: string[] }>();
let api: TestApi;
let impatient: TestApi;
beforeAll(async () => {
  api = await openTestApi();
  impatient = await openTestApi({
    timeLimits: {
      headersMs,
      requestMs: 2_500,
      keepAliveMs: 50,
      bodyQuietMs: 10_000,
      quietMs: 3_000,
      lookEveryMs,
    },
    timers,
    readiness: () => readiness.promise,
  });
  for (const { app } of [api, impatient]) await app.listen({ host: "127.0.0.1", port: 0 });
});
afterAll(async () => {
  readiness.resolve({ ready: true, reasons: [] });
  await api.close();
  await impatient.close();
});

const jsonTo = ({ rootKey }: TestApi) => ({
  authorization: `Bearer ${rootKey}`,
  "content-type": "application/json",
});
const statusesIn = (answer: string) => answer.match(/HTTP\/1.1 \d+/g);

/** Sends one byte between any two looks of the server, so that it never finds the connection quiet. */
async function trickle({ send, closed }: RawConnection, byte: string): Promise<string> {
  const sendByte = (): void => send(byte);
  afterEachLook.add(sendByte);
  try {
    return await closed;
  } finally {
    afterEachLook.delete(sendByte);
  }
}

/** Node.js itself closes a connection with unfinished headers after this time. The server's own checks close it earlier. */
const nodesOwnMs = 60_000;

describe.concurrent("a slow client is cut off, and told why if it had begun a request", () => {
  test("headers that do not end", async () => {
    const slow = await connectRaw(impatient.app);
    const since = performance.now();
    slow.send("GET /v1/keys HTTP/1.1\r\nhost: x\r\n");
    const answer = await slow.closed;
    expect(answer).toMatch(/^HTTP\/1.1 408 /);
    expect(answer).toContain('"code":"E-DI-1001"');
    expect(answer).toContain("took too long to arrive");
    expect(performance.now() - since).toBeGreaterThan(headersMs - 10);
    expect(performance.now() - since).toBeLessThan(nodesOwnMs);
  });

  test("headers that trickle", async () => {
    const slow = await connectRaw(impatient.app);
    slow.send("GET /v1/keys HTTP/1.1\r\nhost: x\r\nx-slow: ");
    const since = performance.now();
    expect(await trickle(slow, "x")).toMatch(/^HTTP\/1.1 408 /);
    expect(performance.now() - since).toBeLessThan(nodesOwnMs);
  });

  test("a connection that says nothing", async () => {
    const mute = await connectRaw(impatient.app);
    const since = performance.now();
    await mute.closed;
    expect(performance.now() - since).toBeLessThan(nodesOwnMs);
  });

  test.each([
    ["of known length", { "content-length": "100" }, '{"name":'],
    ["of unknown length", { "transfer-encoding": "chunked" }, '8\r\n{"name":\r\n'],
  ])("a body %s that does not end", async (_name, length, begin) => {
    const slow = await connectRaw(impatient.app);
    slow.send(head("POST", "/v1/keys", { ...jsonTo(impatient), ...length }) + begin);
    expect(await slow.closed).toMatch(/^HTTP\/1.1 408 /);
  });

  test("a body that trickles", async () => {
    const slow = await connectRaw(impatient.app);
    slow.send(head("POST", "/v1/keys", { ...jsonTo(impatient), "content-length": 100_000 }));
    expect(await trickle(slow, " ")).toMatch(/^HTTP\/1.1 408 /);
  });

  test("a body that nobody reads, because the request was refused at once", async () => {
    const slow = await connectRaw(impatient.app);
    slow.send(
      head("POST", "/v1/keys", {
        ...jsonTo(impatient),
        authorization: "none",
        "content-length": 100,
      }),
    );
    const answer = await slow.closed;
    expect(answer).toMatch(/^HTTP\/1.1 401 /);
  });

  test("a connection that is kept and not used", async () => {
    const idle = await connectRaw(impatient.app);
    idle.send(head("GET", "/v1/keys", jsonTo(impatient)));
    expect(statusesIn(await idle.closed)).toEqual(["HTTP/1.1 200"]);
  });

  test("a connection on which nothing moves while a request is under way", async () => {
    const quiet = await connectRaw(impatient.app);
    const since = performance.now();
    quiet.send(head("GET", "/readyz"));
    expect(await quiet.closed).toBe("");
    expect(performance.now() - since).toBeGreaterThan(2_900);
  });
});

describe("what two servers might read differently is refused whole", () => {
  const smuggled = "GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
  const body = '{"name":"n","scopes":["scheduler.all.read"]}';
  const length = body.length;
  const chunks = `${length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const both = [`content-length: ${chunks.length}`, "transfer-encoding: chunked"];

  async function ask(lines: string, sent: string): Promise<string> {
    const connection = await connectRaw(api.app);
    const begin = head("POST", "/v1/keys", jsonTo(api)).slice(0, -2);
    connection.send(`${begin}${lines}\r\n\r\n${sent}${smuggled}`);
    return connection.closed;
  }

  test.each([
    ["both lengths", both.join("\r\n"), chunks],
    ["both lengths, the other way round", both.toReversed().join("\r\n"), chunks],
    ["two lengths that differ", `content-length: ${length}\r\ncontent-length: 6`, body],
    ["a list of lengths", `content-length: ${length}, ${length}`, body],
    ["a length with a sign", `content-length: +${length}`, body],
    ["a negative length", `content-length: -${length}`, body],
    ["a hexadecimal length", `content-length: 0x${length.toString(16)}`, body],
    ["a coding nobody knows", "transfer-encoding: xchunked", chunks],
    ["chunked that is not last", "transfer-encoding: chunked, identity", chunks],
    ["a space before the colon", "transfer-encoding : chunked", chunks],
    ["a chunk of no size", "transfer-encoding: chunked", `z${chunks}`],
    ["a chunk longer than it says", "transfer-encoding: chunked", chunks.replace("{", "{ ")],
    ["a bare carriage return", "x-a: b\rtransfer-encoding: chunked", chunks],
    ["a NUL", `x-a: b\0c\r\ncontent-length: ${length}`, body],
  ])("%s", async (_name, lines, sent) => {
    const answer = await ask(lines, sent);
    expect(statusesIn(answer)).toEqual(["HTTP/1.1 400"]);
    expect(answer).toContain("\r\nconnection: close\r\n");
    expect(answer).toContain('"code":"E-DI-1001"');
    expect(answer).toContain("This is not a valid HTTP request.");
  });

  test.each([
    ["one length", `content-length: ${length}`, body],
    ["chunks", "transfer-encoding: chunked", chunks],
  ])("while %s is fine, and what follows is a request of its own", async (_name, lines, sent) => {
    expect(statusesIn(await ask(lines, sent))).toEqual(["HTTP/1.1 200", "HTTP/1.1 200"]);
  });
});
