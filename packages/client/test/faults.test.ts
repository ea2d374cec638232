import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { ApiError, ConnectionError, PostdateError, TimeoutError } from "../src/index.ts";
import type { Fetch, Postdate } from "../src/index.ts";
import {
  answer,
  halfAnAnswer,
  halfAnAnswerWithoutLength,
  hangUp,
  messageOf,
  page,
  refusal,
  scriptedServers,
  silence,
} from "./support/scripted-server.ts";
import type { Script } from "./support/scripted-server.ts";

const serverWith = scriptedServers();
const good = answer(200, messageOf("m1"));
const schedule = (postdate: Postdate) =>
  postdate.messages.schedule({ targetId: "t", in: { hours: 2 }, json: { a: 1 } });
const createTarget = (postdate: Postdate) => postdate.targets.create({ url: "https://a.example" });

const passing: Record<string, Script> = {
  "a broken connection": hangUp,
  "half an answer": halfAnAnswer,
  "half an answer without a length": halfAnAnswerWithoutLength,
  "a rate limit": refusal(429, "E-DI-2003"),
  "an overloaded store": refusal(503, "E-DI-9002"),
  "a proxy's 502": page(502),
  "a proxy's 503": page(503),
  "a proxy's 504": page(504),
  "a proxy's rate limit": page(429),
};

describe("what passes", () => {
  test.each(Object.keys(passing))("%s is tried again, with the same key", async (name) => {
    const server = await serverWith(passing[name]!, passing[name]!, good);
    expect(await schedule(server.client())).toEqual(messageOf("m1"));
    expect(server.received).toHaveLength(3);
    const keys = server.received.map(({ headers }) => headers["idempotency-key"]);
    expect(keys[0]).toMatch(/^\d+-\d+-\d+$/);
    expect(new Set(keys).size).toBe(1);
    expect(server.received[0]?.json).toEqual({
      targetId: "t",
      delayMs: 7_200_000,
      payload: '{"a":1}',
    });
  });

  test("a key may be given with the message or beside it", async () => {
    const server = await serverWith(good);
    const { messages } = server.client();
    const input = { targetId: "t", in: 1, payload: "" };
    await messages.schedule({ ...input, idempotencyKey: "mine" });
    await messages.schedule(input, { idempotencyKey: "mine" });
    for (const { headers, json } of server.received) {
      expect(headers["idempotency-key"]).toBe("mine");
      expect(json).not.toHaveProperty("idempotencyKey");
    }
  });

  test.each(Object.keys(passing))("%s is tried again when reading", async (name) => {
    const server = await serverWith(passing[name]!, good);
    expect(await server.client().messages.get("m1")).toEqual(messageOf("m1"));
  });

  test("there is an end to it", async () => {
    const server = await serverWith(refusal(503, "E-DI-9002"));
    await expect(schedule(server.client())).rejects.toMatchObject({ code: "E-DI-9002" });
    expect(server.received).toHaveLength(6);
  });

  test("retry: false tries once", async () => {
    const server = await serverWith(refusal(503, "E-DI-9002"));
    await expect(schedule(server.client({ retry: false }))).rejects.toMatchObject({ status: 503 });
    expect(server.received).toHaveLength(1);
  });

  test("a wait beyond the deadline is not begun", async () => {
    const server = await serverWith(refusal(429, "E-DI-2003", { "retry-after": "3600" }));
    const error = await schedule(server.client()).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 429, retryAfterMs: 3_600_000 });
    expect(server.received).toHaveLength(1);
  });

  test("a wait beyond all timers is not begun, although there is no deadline", async () => {
    const long = refusal(429, "E-DI-2003", { "retry-after": "2147484" });
    const server = await serverWith(long, good);
    const get = server.client({ timeoutMs: Infinity }).messages.get("m1");
    await expect(get).rejects.toMatchObject({ status: 429, retryAfterMs: 2_147_484_000 });
    expect(server.received).toHaveLength(1);
  });

  test("a clock that is set while the call waits changes nothing", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const server = await serverWith((request, response) => {
      vi.setSystemTime(Date.now() + 86_400_000);
      return refusal(503, "E-DI-9002")(request, response);
    }, good);
    expect(await server.client().messages.get("m1")).toEqual(messageOf("m1"));
  });

  test("Retry-After may be a date", async () => {
    const date = new Date(Date.now() + 86_400_000).toUTCString();
    const server = await serverWith(refusal(503, "E-DI-9002", { "retry-after": date }));
    const error = await schedule(server.client()).catch((error: unknown) => error as ApiError);
    expect((error as ApiError).retryAfterMs).toBeGreaterThan(80_000_000);
  });
});

describe("what stays", () => {
  test.each([
    [400, "E-DI-1001"],
    [401, "E-DI-2001"],
    [403, "E-DI-2002"],
    [422, "E-DI-5007"],
    [500, "E-DI-9001"],
  ])("%s %s is told at once", async (status, code) => {
    const server = await serverWith(refusal(status, code));
    const error = await schedule(server.client()).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toBeInstanceOf(PostdateError);
    expect(error).toMatchObject({
      name: "ApiError",
      code,
      status,
      requestId: "req-1",
      retryAfterMs: null,
      message: `${code}: It is ${code}.`,
      errors: [{ code, message: `It is ${code}.` }],
    });
    expect(server.received).toHaveLength(1);
  });

  test("a page that is not from Postdate is a connection error that says so", async () => {
    for (const status of [200, 404, 500]) {
      const server = await serverWith(page(status));
      const error = await schedule(server.client()).catch((error: unknown) => error);
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error).toMatchObject({
        status,
        message: `${server.url} answered ${status} with something that is not from Postdate. Check the url.`,
      });
      expect(server.received).toHaveLength(1);
    }
  });

  test("a redirect is not followed, so the key stays here", async () => {
    const elsewhere = await serverWith(good);
    const server = await serverWith((_, response) =>
      response.writeHead(307, { location: `${elsewhere.url}/v1/messages` }).end(),
    );
    await expect(schedule(server.client())).rejects.toThrow(/redirects, which/);
    expect(server.received).toHaveLength(1);
    expect(elsewhere.received).toEqual([]);
  });

  test("what does not exist is null", async () => {
    const nothing: Script = (_, response) => response.writeHead(404).end();
    const { messages } = (await serverWith(nothing)).client();
    expect(await messages.get("m")).toBeNull();
    expect(await messages.payload("m")).toBeNull();
    expect(await messages.attempts("m")).toBeNull();
    const { targets } = (await serverWith(refusal(404, "E-DI-3004"))).client();
    expect(await targets.get("t")).toBeNull();
    await expect(targets.pause("t")).rejects.toMatchObject({ code: "E-DI-3004" });
    const { accounts } = (await serverWith(refusal(404, "E-DI-4001"))).client();
    expect(await accounts.get("a")).toBeNull();
  });
});

describe("a change that must not be made twice", () => {
  test.each([
    "a broken connection",
    "half an answer",
    "half an answer without a length",
    "an overloaded store",
    "a proxy's 504",
  ])("is not repeated after %s", async (name) => {
    const server = await serverWith(passing[name]!, good);
    const error = await createTarget(server.client()).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(PostdateError);
    expect(server.received).toHaveLength(1);
    if (error instanceof ConnectionError) expect(error.mayHaveTakenEffect).toBe(true);
  });

  test.each(["a rate limit", "a proxy's rate limit"])("is repeated after %s", async (name) => {
    const server = await serverWith(passing[name]!, good);
    await createTarget(server.client());
    expect(server.received).toHaveLength(2);
  });

  test("is repeated while nothing listens", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const { port } = closed.address() as AddressInfo;
    await once(closed.close(), "close");
    let tries = 0;
    const counting: Fetch = (url, init) => {
      tries++;
      return fetch(url, init);
    };
    const server = await serverWith(good);
    const client = server.client({ url: `http://127.0.0.1:${port}`, fetch: counting });
    const error = await createTarget(client).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ status: null, mayHaveTakenEffect: false });
    expect((error as Error).message).toContain("ECONNREFUSED");
    expect((error as Error).cause).toMatchObject({ code: "ECONNREFUSED" });
    expect(tries).toBe(6);
  });
});

describe("a cancel whose answer was lost", () => {
  const tooLate = refusal(400, "E-DI-5003");
  const cancelled = answer(200, messageOf("m1", { state: "CANCELLED" }));

  test("is answered with the message that it cancelled", async () => {
    const server = await serverWith(hangUp, tooLate, cancelled);
    expect(await server.client().messages.cancel("m1")).toMatchObject({ state: "CANCELLED" });
    expect(server.received.map(({ method }) => method)).toEqual(["POST", "POST", "GET"]);
  });

  test("fails if the message was delivered", async () => {
    const server = await serverWith(
      hangUp,
      tooLate,
      answer(200, messageOf("m1", { state: "DELIVERED" })),
    );
    const cancel = server.client().messages.cancel("m1");
    await expect(cancel).rejects.toMatchObject({ code: "E-DI-5003" });
  });

  test("is not looked up if the first try was told so", async () => {
    const server = await serverWith(tooLate, cancelled);
    const cancel = server.client().messages.cancel("m1");
    await expect(cancel).rejects.toMatchObject({ code: "E-DI-5003" });
    expect(server.received).toHaveLength(1);
  });
});

describe("a reschedule whose answer was lost", () => {
  const tooLate = refusal(400, "E-DI-5004");
  const deliveredAt = (ms: number): Script =>
    answer(
      200,
      messageOf("m1", {
        state: "DELIVERED",
        nextDeliveryTime: null,
        lastDeliveryTime: new Date(ms).toISOString(),
      }),
    );
  const longAgo = new Date(0);
  const hourMs = 3_600_000;
  const inAnHour = Date.now() + hourMs;

  test.each([
    ["a time", new Date(inAnHour), inAnHour],
    ["a time in the past", longAgo, inAnHour],
    ["a delay", { in: { seconds: 1 } }, inAnHour],
  ])("is answered with the message, delivered after %s", async (_, when, deliveredMs) => {
    const server = await serverWith(hangUp, tooLate, deliveredAt(deliveredMs));
    const message = await server.client().messages.reschedule("m1", when);
    expect(message).toMatchObject({ state: "DELIVERED" });
    expect(server.received.map(({ method }) => method)).toEqual(["POST", "POST", "GET"]);
  });

  test.each([
    ["before that time", new Date(inAnHour), inAnHour - 1],
    ["before the delay was over", { in: { hours: 2 } }, inAnHour],
    ["before the call", longAgo, inAnHour - 2 * hourMs],
  ])("fails if the message was delivered %s", async (_, when, deliveredMs) => {
    const server = await serverWith(hangUp, tooLate, deliveredAt(deliveredMs));
    const reschedule = server.client().messages.reschedule("m1", when);
    await expect(reschedule).rejects.toMatchObject({ code: "E-DI-5004" });
  });

  test("is not looked up if the first try was told so", async () => {
    const server = await serverWith(tooLate, deliveredAt(inAnHour));
    const reschedule = server.client().messages.reschedule("m1", { in: 0 });
    await expect(reschedule).rejects.toMatchObject({ code: "E-DI-5004" });
    expect(server.received).toHaveLength(1);
  });
});

describe("the end of a call", () => {
  test("is its deadline, over all tries", async () => {
    const server = await serverWith(refusal(503, "E-DI-9002"), silence);
    const error = await server
      .client()
      .messages.get("m1", { timeoutMs: 500 })
      .catch((error: unknown) => error);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ timeoutMs: 500, cause: { code: "E-DI-9002" } });
  });

  test("may come in the middle of an answer", async () => {
    const server = await serverWith((_, response) => response.writeHead(200).write("{"));
    const get = server.client({ timeoutMs: 200 }).messages.get("m1");
    await expect(get).rejects.toBeInstanceOf(TimeoutError);
  });

  test("may be the caller's signal, with its reason", async () => {
    const server = await serverWith(silence);
    const reason = new Error("changed my mind");
    const controller = new AbortController();
    for (const call of [
      server.client().messages.get("m1", { signal: controller.signal }),
      server
        .client()
        .messages.schedule({ targetId: "t", in: 1, payload: "" }, { signal: controller.signal }),
    ]) {
      call.catch(() => {});
    }
    await server.arrived(2);
    const waiting = server.client().messages.get("m1", { signal: controller.signal });
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(server.client().messages.get("m1", { signal: controller.signal })).rejects.toBe(
      reason,
    );
    expect(server.received.length).toBeLessThanOrEqual(3);
  });

  test("is noticed while waiting for the next try", async () => {
    const server = await serverWith(refusal(503, "E-DI-9002", { "retry-after": "20" }));
    const controller = new AbortController();
    const get = server.client().messages.get("m1", { signal: controller.signal });
    await server.arrived(1);
    controller.abort("enough");
    await expect(get).rejects.toBe("enough");
  });

  test("is noticed although the fetch does not know signals", async () => {
    const server = await serverWith(silence);
    const deaf: Fetch = (url, init) => fetch(url, { ...init, signal: null });
    const get = server.client({ fetch: deaf, timeoutMs: 200 }).messages.get("m1");
    await expect(get).rejects.toBeInstanceOf(TimeoutError);
  });
});
