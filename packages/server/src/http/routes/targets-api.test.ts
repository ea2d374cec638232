import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { describe, expect, onTestFinished, test } from "vitest";
import { sharedTestApi } from "../testing/shared-test-api.ts";

const api = sharedTestApi();

const url = "https://example.com/hook";
const create = (body: object) => api.call({ method: "POST", url: "/v1/targets", body });
const patch = (targetId: string, body: object) =>
  api.call({ method: "PATCH", url: `/v1/targets/${targetId}`, body });
const act = (targetId: string, verb: string, body?: object) =>
  api.call({ method: "POST", url: `/v1/targets/${targetId}/${verb}`, ...(body && { body }) });
const get = (targetId: string) => api.call({ url: `/v1/targets/${targetId}` });

const defaults = {
  kind: "webhook",
  url,
  headers: {},
  contentType: "text/plain; charset=utf-8",
  timeoutMs: 15_000,
  maxConcurrency: 50,
  rateLimit: null,
  paused: false,
};

describe("create", () => {
  test("fills in the defaults and shows the secret only once", async () => {
    const made = await create({ url });
    expect(made.statusCode).toBe(200);
    expect(made.headers["cache-control"]).toBe("no-store");
    const target = made.json<{ targetId: string; secret: string }>();
    expect(target).toMatchObject({
      ...defaults,
      targetId: expect.stringMatching(/^tgt_[0-9a-z]{20}$/),
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      retryPolicy: { maxAttempts: 10, backoff: { kind: "list", jitter: 0.1 }, finalStatuses: [] },
    });
    const { secret: _secret, ...shown } = target;
    expect((await get(target.targetId)).json()).toEqual(shown);
  });

  test("takes everything a target can have", async () => {
    const given = {
      targetId: "full",
      kind: "webhook",
      url,
      headers: { "x-shop": "berlin" },
      contentType: "application/json",
      timeoutMs: 100,
      retryPolicy: {
        maxAttempts: 3,
        backoff: { kind: "exponential", initialMs: 10, factor: 1.5, maxMs: 1_000, jitter: 1 },
        finalStatuses: [404],
        maxRetryAfterMs: 0,
      },
      maxConcurrency: 1_000,
      rateLimit: { max: 5, intervalMs: 1_000 },
      paused: true,
      secret: `whsec_${Buffer.alloc(24, 1).toString("base64")}`,
    };
    expect((await create(given)).json()).toMatchObject({ ...given, headers: { "x-shop": "set" } });
    const again = await create({ targetId: "full", url });
    expect(again.statusCode).toBe(409);
    expect(again.json()).toMatchObject({ errors: [{ code: "E-DI-3002", field: "targetId" }] });
  });

  test("a backoff list allows one attempt more than it has delays", async () => {
    const made = await create({
      url,
      retryPolicy: { backoff: { kind: "list", delaysMs: [1, 2] } },
    });
    expect(made.json()).toMatchObject({
      retryPolicy: { maxAttempts: 3, backoff: { kind: "list", delaysMs: [1, 2], jitter: 0 } },
    });
  });

  test.each([
    ["nothing", {}, ["url"]],
    ["a private address", { url: "http://10.0.0.1/" }, ["url"]],
    ["a bad id", { url, targetId: "a b" }, ["targetId"]],
    ["a weak secret", { url, secret: "whsec_c2hvcnQ=" }, ["secret"]],
    ["another kind", { url, kind: "queue" }, ["kind"]],
    ["numbers as text", { url, timeoutMs: "500" }, ["timeoutMs"]],
    ["out of range", { url, timeoutMs: 99, maxConcurrency: 0 }, ["maxConcurrency", "timeoutMs"]],
    [
      "a wrong factor",
      { url, retryPolicy: { backoff: { kind: "exponential", factor: 0.5 } } },
      ["retryPolicy.backoff.factor"],
    ],
    [
      "an unknown backoff",
      { url, retryPolicy: { backoff: { kind: "fibonacci" } } },
      ["retryPolicy.backoff.kind"],
    ],
    [
      "a backoff without a kind",
      { url, retryPolicy: { backoff: {} } },
      ["retryPolicy.backoff.kind"],
    ],
    [
      "a wrong delay",
      { url, retryPolicy: { backoff: { kind: "list", delaysMs: [5, -1] } } },
      ["retryPolicy.backoff.delaysMs[1]"],
    ],
    [
      "delays the wrong way round",
      { url, retryPolicy: { backoff: { kind: "exponential", initialMs: 10, maxMs: 5 } } },
      ["retryPolicy.backoff.maxMs"],
    ],
    [
      "an unknown part",
      { url, rateLimit: { max: 1, intervalMs: 1, burst: 2 } },
      ["rateLimit.burst"],
    ],
  ])("refuses %s", async (_name, body, fields) => {
    const answer = await create(body);
    expect(answer.statusCode).toBe(400);
    const { errors } = answer.json<{ errors: { field: string }[] }>();
    expect(errors.map(({ field }) => field).toSorted()).toEqual(fields);
  });
});

describe("a field that no target has", () => {
  const long = "n".repeat(1_000);
  test.each<[string, object, string[]]>([
    ["a plain one", { url, shape: "round" }, ["shape"]],
    ["with a dot in its name", { url, "a.b": 1 }, ["a.b"]],
    ["with a bracket in its name", { url, "a[0]": 1 }, ["a[0]"]],
    ["without a name", { url, "": 1 }, [""]],
    ["with a long name", { url, [long]: 1 }, [`${"n".repeat(100)}…`]],
  ])("is told of once: %s", async (_name, body, fields) => {
    await create({ targetId: "plain", url });
    for (const answer of [await create(body), await patch("plain", body)]) {
      expect(answer.statusCode).toBe(400);
      const { errors } = answer.json<{ errors: { field?: string }[] }>();
      expect(errors.map(({ field }) => field)).toEqual(fields);
    }
  });

  test.each(['["a"]', '"text"', "7", "null"])("nor is there one in the body %s", async (body) => {
    for (const [method, path] of [
      ["POST", "/v1/targets"],
      ["PATCH", "/v1/targets/plain"],
    ] as const) {
      const headers = { "content-type": "application/json" };
      const answer = await api.call({ method, url: path, headers, payload: body });
      expect(answer.statusCode).toBe(400);
      const { errors } = answer.json<{ errors: { field?: string; message: string }[] }>();
      const unknown = errors.filter(({ message }) => /no field|has no/.test(message));
      expect(unknown).toEqual([]);
    }
  });
});

describe("change", () => {
  test("given fields replace, null resets, and the others stay", async () => {
    await create({
      targetId: "patched",
      url,
      headers: { "x-a": "1" },
      timeoutMs: 200,
      paused: true,
    });
    const changes = api.changedTargets.length;
    const first = await patch("patched", {
      headers: { "x-b": "2" },
      rateLimit: { max: 1, intervalMs: 5 },
    });
    expect(first.json()).toMatchObject({
      headers: { "x-b": "set" },
      timeoutMs: 200,
      paused: true,
      rateLimit: { max: 1, intervalMs: 5 },
    });
    const reset = {
      headers: null,
      timeoutMs: null,
      paused: null,
      rateLimit: null,
      retryPolicy: null,
    };
    expect((await patch("patched", reset)).json()).toMatchObject(defaults);
    expect(api.changedTargets.length).toBe(changes + 2);
    expect((await patch("patched", {})).json()).toMatchObject(defaults);
  });

  test("a header that is sent back as it was shown keeps its value", async () => {
    const arrived: IncomingHttpHeaders[] = [];
    const receiver = createServer((request, response) => {
      arrived.push(request.headers);
      response.end();
    });
    receiver.listen(0, "127.0.0.1");
    await once(receiver, "listening");
    onTestFinished(() => void receiver.close());
    const { port } = receiver.address() as AddressInfo;
    await create({
      targetId: "kept",
      url: `http://127.0.0.1:${port}/`,
      headers: { Authorization: "Bearer first", "x-a": "1", "x-b": "2" },
    });
    const shown = (await get("kept")).json<{ headers: object }>();
    expect(shown.headers).toEqual({ Authorization: "set", "x-a": "set", "x-b": "set" });
    const changed = await patch("kept", {
      headers: { authorization: "set", "x-b": "3", "x-c": "4" },
    });
    expect(changed.json()).toMatchObject({
      headers: { authorization: "set", "x-b": "set", "x-c": "set" },
    });
    await act("kept", "test");
    expect(arrived[0]).toMatchObject({ authorization: "Bearer first", "x-b": "3", "x-c": "4" });
    expect(arrived[0]).not.toHaveProperty("x-a");
  });

  test("kept header values are not sent to another receiver", async () => {
    const headers = { Authorization: "Bearer first", "x-a": "1" };
    await create({ targetId: "moved", url: "http://127.0.0.1:7001/a", headers });
    const elsewhere = "http://127.0.0.1:7002/a";
    for (const change of [
      { url: elsewhere },
      { url: "https://127.0.0.1:7001/a" },
      { url: elsewhere, headers: { authorization: "set" } },
      { url: elsewhere, headers: { authorization: "Bearer second", "x-a": "set" } },
    ]) {
      const answer = await patch("moved", change);
      expect(answer.statusCode).toBe(400);
      expect(answer.json()).toMatchObject({
        errors: [
          { code: "E-DI-1001", field: "headers", message: expect.stringContaining("again") },
        ],
      });
    }
    const shown = { Authorization: "set", "x-a": "set" };
    expect((await get("moved")).json()).toMatchObject({
      url: "http://127.0.0.1:7001/a",
      headers: shown,
    });
    // Another path of the same receiver is allowed. A change that gives all values, or none, may name any receiver.
    const nearby = await patch("moved", { url: "http://127.0.0.1:7001/b?c" });
    expect(nearby.json()).toMatchObject({ url: "http://127.0.0.1:7001/b?c", headers: shown });
    const given = await patch("moved", { url: elsewhere, headers: { "x-a": "2" } });
    expect(given.json()).toMatchObject({ url: elsewhere, headers: { "x-a": "set" } });
    for (const none of [{}, null]) {
      await patch("moved", { headers: { "x-a": "2" } });
      const port = none === null ? 7_003 : 7_004;
      const bare = await patch("moved", { url: `http://127.0.0.1:${port}/`, headers: none });
      expect(bare.json()).toMatchObject({ url: `http://127.0.0.1:${port}/`, headers: {} });
    }
    expect((await patch("moved", { url: elsewhere })).statusCode).toBe(200);
  });

  test("an invalid URL is the only problem reported, whatever the headers are", async () => {
    await create({ targetId: "odd", url, headers: { "x-a": "1" } });
    const answer = await patch("odd", { url: "nowhere" });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ errors: [{ field: "url" }] });
    expect(answer.json<{ errors: unknown[] }>().errors).toHaveLength(1);
  });

  test("a header that the target does not have cannot be kept", async () => {
    await create({ targetId: "bare", url, headers: { "x-a": "1" } });
    for (const answer of [
      await patch("bare", { headers: { "x-a": "set", "x-b": "set" } }),
      await create({ url, headers: { "x-b": "set" } }),
    ]) {
      expect(answer.statusCode).toBe(400);
      expect(answer.json()).toMatchObject({
        errors: [
          { code: "E-DI-1001", field: "headers.x-b", message: expect.stringContaining("value") },
        ],
      });
    }
  });

  test("a field that cannot be changed is refused with the reason", async () => {
    const answer = await patch("patched", {
      targetId: "x",
      kind: "webhook",
      secret: "x",
      url: null,
    });
    expect(answer.statusCode).toBe(400);
    const { errors } = answer.json<{ errors: { field: string; message: string }[] }>();
    expect(errors.map(({ field }) => field).toSorted()).toEqual([
      "kind",
      "secret",
      "targetId",
      "url",
    ]);
    expect(errors.find(({ field }) => field === "secret")?.message).toContain("rotate-secret");
  });

  test("a changed URL is checked again", async () => {
    const answer = await patch("patched", { url: "http://169.254.169.254/" });
    expect(answer.json()).toMatchObject({ errors: [{ code: "E-DI-3005", field: "url" }] });
    expect((await get("patched")).json()).toMatchObject({ url });
  });

  test("pause and resume can be repeated", async () => {
    for (const [verb, paused] of [
      ["pause", true],
      ["pause", true],
      ["resume", false],
      ["resume", false],
    ] as const) {
      expect((await act("patched", verb)).json()).toMatchObject({ targetId: "patched", paused });
    }
  });

  test("a rotation makes a new secret and shows it once", async () => {
    const made = (await create({ targetId: "rotated", url })).json<{ secret: string }>();
    const rotated = await act("rotated", "rotate-secret");
    expect(rotated.json<{ secret: string }>().secret).not.toBe(made.secret);
    const secret = `whsec_${Buffer.alloc(32, 5).toString("base64")}`;
    expect((await act("rotated", "rotate-secret", { secret, overlapMs: 0 })).json()).toMatchObject({
      secret,
    });
    expect((await get("rotated")).body).not.toContain("whsec_");
  });

  test("a repeated rotation leaves both secrets signing", async () => {
    const signatures: string[] = [];
    const receiver = createServer((request, response) => {
      signatures.push(String(request.headers["webhook-signature"]));
      response.end();
    }).listen(0, "127.0.0.1");
    await once(receiver, "listening");
    onTestFinished(() => void receiver.close());
    const { port } = receiver.address() as AddressInfo;
    await create({ targetId: "twice", url: `http://127.0.0.1:${port}/` });
    const secret = `whsec_${Buffer.alloc(32, 6).toString("base64")}`;
    for (const overlapMs of [86_400_000, 86_400_000, 0]) {
      const rotated = await act("twice", "rotate-secret", { secret, overlapMs });
      expect(rotated.json()).toMatchObject({ targetId: "twice", secret });
      await act("twice", "test");
    }
    expect(signatures.map((header) => header.split(" ").length)).toEqual([2, 2, 2]);
  });

  test("a target with scheduled messages cannot be removed", async () => {
    await create({ targetId: "leaving", url });
    const message = { targetId: "leaving", deliveryTime: "2099-01-01T00:00:00Z", payload: "" };
    const { messageId } = (
      await api.call({ method: "POST", url: "/v1/messages", body: message })
    ).json<{ messageId: string }>();
    const remove = () => api.call({ method: "DELETE", url: "/v1/targets/leaving" });
    const early = await remove();
    expect(early.statusCode).toBe(409);
    expect(early.json()).toMatchObject({ errors: [{ code: "E-DI-3003" }] });
    await api.call({ method: "POST", url: `/v1/messages/${messageId}/cancel` });
    expect((await remove()).json()).toMatchObject({ targetId: "leaving" });
    const again = await remove();
    expect(again.statusCode).toBe(404);
    expect(again.json()).toMatchObject({ errors: [{ code: "E-DI-3004" }] });
    const moved = await api.call({
      method: "POST",
      url: `/v1/messages/${messageId}/reschedule`,
      body: { deliveryTime: "2099-01-01T00:00:00Z" },
    });
    expect(moved.json()).toMatchObject({ errors: [{ code: "E-DI-3001" }] });
  });
});

test("a test message is sent at once, also to a paused target", async () => {
  const bodies: string[] = [];
  const receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      bodies.push(Buffer.concat(chunks).toString());
      response.writeHead(418).end("short and stout");
    });
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const { port } = receiver.address() as AddressInfo;
  await create({ targetId: "tested", url: `http://127.0.0.1:${port}/`, paused: true });
  const tested = await act("tested", "test", { payload: "ping" });
  expect(tested.json()).toMatchObject({
    targetId: "tested",
    messageId: expect.stringMatching(/^msg_test_/),
    attempt: { number: 1, outcome: "BAD_STATUS", statusCode: 418, response: "short and stout" },
  });
  expect((await act("tested", "test")).statusCode).toBe(200);
  expect(bodies[0]).toBe("ping");
  expect((await act("nowhere", "test")).statusCode).toBe(404);
  receiver.close();
  receiver.closeAllConnections();
});
