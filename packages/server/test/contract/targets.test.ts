import { describe, expect, test } from "vitest";
import { inMs } from "../support/api.ts";
import { commonService } from "../support/common-service.ts";
import { anyInstant, expectRefusal } from "../support/expectations.ts";
import { farAway, status } from "../support/shared-service.ts";

const service = commonService();
const publicUrl = "https://hooks.example.com/in";

const create = (body: Readonly<Record<string, unknown>>) =>
  service.api("POST", "/v1/targets", { body: { url: publicUrl, ...body } });

const defaults = {
  kind: "webhook",
  url: publicUrl,
  headers: {},
  contentType: "text/plain; charset=utf-8",
  timeoutMs: 15_000,
  retryPolicy: {
    maxAttempts: 10,
    backoff: {
      kind: "list",
      delaysMs: expect.arrayContaining([5_000, 300_000, 1_800_000, 7_200_000, 18_000_000]),
      jitter: expect.any(Number),
    },
    finalStatuses: [],
    maxRetryAfterMs: 3_600_000,
  },
  maxConcurrency: 50,
  rateLimit: null,
  paused: false,
  failingAfter: { attempts: 10, ms: 60_000 },
  creationTime: anyInstant,
  updateTime: anyInstant,
};

const chosen = {
  url: "https://other.example.com/in?x=1",
  headers: { "x-shop": "berlin", Authorization: "Basic eDp5" },
  contentType: "application/json",
  timeoutMs: 1_000,
  retryPolicy: {
    maxAttempts: 4,
    backoff: { kind: "exponential", initialMs: 100, factor: 3, maxMs: 60_000, jitter: 0.5 },
    finalStatuses: [400, 404],
    maxRetryAfterMs: 5_000,
  },
  maxConcurrency: 7,
  rateLimit: { max: 100, intervalMs: 1_000 },
  paused: true,
};

describe("create", () => {
  test("with only a url: the rest has defaults, and the secret is shown only here", async () => {
    const { status: code, body } = await create({ targetId: "plain" });
    expect(code).toBe(200);
    const { secret, ...target } = body;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/);
    expect(target).toStrictEqual({ targetId: "plain", ...defaults });
    expect(await service.ok("GET", "/v1/targets/plain")).toStrictEqual(target);
    const { items } = await service.ok("GET", "/v1/targets?limit=100");
    expect(items.find((each: { targetId: string }) => each.targetId === "plain")).toStrictEqual(
      target,
    );
  });

  test("with every setting", async () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
    const { status: code, body } = await create({
      targetId: "chosen",
      kind: "webhook",
      secret,
      ...chosen,
    });
    expect(code).toBe(200);
    const headers = { "x-shop": "set", Authorization: "set" };
    expect(body).toMatchObject({ ...chosen, headers, secret });
  });

  test("a given id of 1 to 64 letters, digits, _ and -", async () => {
    for (const targetId of ["a", "-", "_", "A-z_09", "x".repeat(64), "batch", "__proto__"]) {
      const { status: code, body } = await create({ targetId });
      expect([code, body.targetId]).toEqual([200, targetId]);
      expect((await service.ok("GET", `/v1/targets/${targetId}`)).targetId).toBe(targetId);
    }
  });

  test.each(["", "x".repeat(65), "a b", "ä", "a/b", ".", "a.b", "a\n", "😀", 5, null, {}, []])(
    "the id %j is refused",
    async (targetId) => {
      expectRefusal(await create({ targetId }), 400, { code: "E-DI-1001", field: "targetId" });
    },
  );

  test("without an id, a new one is generated each time", async () => {
    const ids = [(await create({})).body.targetId, (await create({})).body.targetId];
    expect(ids[0]).not.toBe(ids[1]);
    for (const id of ids) {
      expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect((await service.ok("GET", `/v1/targets/${id}`)).targetId).toBe(id);
    }
  });

  test("an id in use is E-DI-3002 with 409, and its target does not change", async () => {
    await create({ targetId: "taken" });
    const before = await service.ok("GET", "/v1/targets/taken");
    const again = await create({ targetId: "taken", url: "https://else.example.com" });
    expectRefusal(again, 409, { code: "E-DI-3002", field: "targetId" });
    expect(await service.ok("GET", "/v1/targets/taken")).toStrictEqual(before);
    const parallel = await Promise.all(
      Array.from({ length: 5 }, () => create({ targetId: "race" })),
    );
    expect(parallel.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([
      200, 409, 409, 409, 409,
    ]);
  });
});

describe("list", () => {
  test("is paged by targetId, each target once", async () => {
    for (const targetId of ["page-c", "page-a", "page-b"]) await create({ targetId });
    const seen: string[] = [];
    for (let pageToken: string | null = ""; pageToken !== null;) {
      const query: string = pageToken === "" ? "" : `&pageToken=${pageToken}`;
      const page = await service.ok("GET", `/v1/targets?limit=2${query}`);
      expect(page.count).toBe(page.items.length);
      const again = await service.ok("GET", `/v1/targets?limit=2&pageToken=${page.pageToken}`);
      expect(again).toStrictEqual(page);
      seen.push(...page.items.map((item: { targetId: string }) => item.targetId));
      pageToken = page.nextPageToken;
    }
    expect(seen).toEqual([...new Set(seen)].toSorted());
    expect(seen).toEqual(expect.arrayContaining(["page-a", "page-b", "page-c"]));
  });

  test("refuses a bad limit and a bad token", async () => {
    for (const limit of ["0", "101", "1e2", ""]) {
      const answer = await service.api("GET", `/v1/targets?limit=${limit}`);
      expectRefusal(answer, 400, { code: "E-DI-1001", field: "limit" });
    }
    const answer = await service.api("GET", "/v1/targets?pageToken=x");
    expectRefusal(answer, 400, { code: "E-DI-1002", field: "pageToken" });
  });
});

describe("change", () => {
  test("given fields are replaced, others stay, and null resets to the default", async () => {
    const { body: created } = await create({ targetId: "changing" });
    const patch = (body: unknown) => service.ok("PATCH", "/v1/targets/changing", { body });
    for (const [name, value] of Object.entries(chosen)) {
      const before = await service.ok("GET", "/v1/targets/changing");
      const after = await patch({ [name]: value });
      const expected = name === "headers" ? expect.anything() : value;
      expect(after).toStrictEqual({ ...before, [name]: expected, updateTime: anyInstant });
      expect(await service.ok("GET", "/v1/targets/changing")).toStrictEqual(after);
    }
    const { url: _, ...resettable } = chosen;
    const reset = Object.fromEntries(Object.keys(resettable).map((name) => [name, null]));
    const { secret: __, ...plain } = created;
    const back = await patch(reset);
    expect(back).toStrictEqual({ ...plain, url: chosen.url, updateTime: anyInstant });
    expect(await patch({})).toMatchObject({ url: chosen.url });
  });

  test("targetId, kind and secret cannot be changed here, and url cannot be removed", async () => {
    await create({ targetId: "fixed" });
    const before = await service.ok("GET", "/v1/targets/fixed");
    for (const [field, value] of Object.entries({
      targetId: "b",
      secret: "x",
      creationTime: farAway,
      url: null,
    })) {
      const answer = await service.api("PATCH", "/v1/targets/fixed", { body: { [field]: value } });
      expectRefusal(answer, 400, { code: "E-DI-1001", field });
    }
    expect(await service.ok("GET", "/v1/targets/fixed")).toStrictEqual(before);
  });
});

describe("remove", () => {
  test("E-DI-3003 with 409 while messages are scheduled, then gone for good", async () => {
    const target = await service.target();
    const path = `/v1/targets/${target.targetId}`;
    const { messageId } = await target.schedule({ deliveryTime: farAway });
    expectRefusal(await service.api("DELETE", path), 409, { code: "E-DI-3003" });
    const cancelled = await service.ok("POST", `/v1/messages/${messageId}/cancel`);
    const { targetId } = await service.ok("DELETE", path);
    expect(targetId).toBe(target.targetId);
    expectRefusal(await service.api("GET", path), 404, { code: "E-DI-3004" });
    const body = { targetId, deliveryTime: farAway, payload: "" };
    const refused = await service.api("POST", "/v1/messages", { body });
    expectRefusal(refused, 400, { code: "E-DI-3001", field: "targetId" });
    expect(await service.ok("GET", `/v1/messages/${messageId}`)).toStrictEqual(cancelled);
  });
});

test("messages of a removed target stay readable, and continue when the target is created again", async () => {
  const target = await service.target({ retryPolicy: { maxAttempts: 1 } });
  const path = `/v1/targets/${target.targetId}`;
  target.answerWith(status(500));
  const dead = await service.reaches((await target.schedule()).messageId, "DEAD_LETTER");
  await service.ok("DELETE", path);
  expect((await service.ok("GET", `${path}/dead-letters`)).items).toStrictEqual([dead]);
  const reschedule = () =>
    service.api("POST", `/v1/messages/${dead.messageId}/reschedule`, {
      body: { deliveryTime: inMs(0) },
    });
  expectRefusal(await reschedule(), 400, { code: "E-DI-3001" });
  expect(await service.ok("GET", `/v1/messages/${dead.messageId}`)).toStrictEqual(dead);
  const url = service.receiver.url + target.path;
  expect((await create({ targetId: target.targetId, url })).status).toBe(200);
  target.answerWith(status(204));
  expect((await reschedule()).status).toBe(200);
  await service.reaches(dead.messageId, "DELIVERED");
});

describe("pause and resume", () => {
  test("hold messages back and release them", async () => {
    const target = await service.target();
    const path = `/v1/targets/${target.targetId}`;
    expect((await service.ok("POST", `${path}/pause`)).paused).toBe(true);
    expect((await service.ok("POST", `${path}/pause`)).paused).toBe(true);
    const { messageId } = await target.schedule();
    const other = await service.target();
    await other.schedule({ deliveryTime: inMs(150) });
    await other.received(1);
    expect(target.receipts()).toEqual([]);
    expect((await service.ok("GET", `/v1/messages/${messageId}`)).state).toBe("SCHEDULED");
    expect((await service.ok("POST", `${path}/resume`)).paused).toBe(false);
    await service.reaches(messageId, "DELIVERED");
  });

  test("a message of a paused target can be cancelled", async () => {
    const target = await service.target({ paused: true });
    const { messageId } = await target.schedule();
    expect((await service.ok("POST", `/v1/messages/${messageId}/cancel`)).state).toBe("CANCELLED");
  });
});

describe("test", () => {
  test("sends at once, even while paused, answers with the attempt and stores nothing", async () => {
    const target = await service.target({ paused: true });
    target.answerWith(status(418, {}, "teapot"));
    const path = `/v1/targets/${target.targetId}/test`;
    const result = await service.ok("POST", path, { body: { payload: "is it on?" } });
    expect(result).toMatchObject({
      targetId: target.targetId,
      attempt: { number: 1, outcome: "BAD_STATUS", statusCode: 418, response: "teapot" },
    });
    const [receipt] = target.receipts();
    expect([receipt!.messageId, receipt!.body.toString()]).toEqual([result.messageId, "is it on?"]);
    expect((await service.api("GET", `/v1/messages/${result.messageId}`)).status).toBe(404);
    target.answerWith(status(204));
    expect((await service.ok("POST", path)).attempt).toMatchObject({
      outcome: "DELIVERED",
      statusCode: 204,
    });
  });

  test("a bad payload is refused", async () => {
    const target = await service.target();
    const path = `/v1/targets/${target.targetId}/test`;
    const long = await service.api("POST", path, { body: { payload: "a".repeat(61_441) } });
    expectRefusal(long, 400, { code: "E-DI-5002", field: "payload" });
    const lone = await service.api("POST", path, { body: { payload: "\ud83d" } });
    expectRefusal(lone, 400, { code: "E-DI-1001", field: "payload" });
    expect(target.receipts()).toEqual([]);
  });
});

test("a target that does not exist is E-DI-3004 with 404, on every target operation", async () => {
  for (const targetId of ["nobody", "no%20body", "x".repeat(200)]) {
    const path = `/v1/targets/${targetId}`;
    const answers = [
      await service.api("GET", path),
      await service.api("PATCH", path, { body: {} }),
      await service.api("DELETE", path),
      await service.api("POST", `${path}/pause`),
      await service.api("POST", `${path}/resume`),
      await service.api("POST", `${path}/test`),
      await service.api("POST", `${path}/rotate-secret`),
    ];
    for (const answer of answers) expectRefusal(answer, 404, { code: "E-DI-3004" });
  }
});
