import { beforeAll, describe, expect, test } from "vitest";
import { sharedTestApi } from "../testing/shared-test-api.ts";

const api = sharedTestApi();
beforeAll(async () => {
  const url = "https://example.com/hook";
  await api.call({ method: "POST", url: "/v1/targets", body: { targetId: "orders", url } });
});

const draft = { targetId: "orders", deliveryTime: "2099-01-02T03:04:05.678Z", payload: "hello" };
const schedule = (body: object, headers = {}) =>
  api.call({ method: "POST", url: "/v1/messages", body, headers });

describe("schedule", () => {
  test("answers with the full message and notifies the engine", async () => {
    const before = api.due.length;
    const answer = await schedule(draft);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers["content-type"]).toContain("application/json");
    expect(answer.json()).toEqual({
      messageId: expect.stringMatching(/^msg_/),
      targetId: "orders",
      schedulingTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      originalDeliveryTime: "2099-01-02T03:04:05.678Z",
      state: "SCHEDULED",
      deliveryFailureCount: 0,
      nextDeliveryTime: "2099-01-02T03:04:05.678Z",
      lastDeliveryTime: null,
      deadLetterTime: null,
      cancellationTime: null,
      expirationTime: null,
    });
    expect(api.due.slice(before).map(({ dueAt }) => dueAt)).toEqual([
      Date.parse("2099-01-02T03:04:05.678Z"),
    ]);
  });

  test("reports all problems at once, the target included", async () => {
    const answer = await schedule({
      targetId: "nowhere",
      deliveryTime: "2026-02-30T00:00:00Z",
      payload: 5,
      priority: 1,
    });
    expect(answer.statusCode).toBe(400);
    const errors = answer.json<{ errors: { code: string; field: string }[] }>().errors;
    expect(errors.map(({ code, field }) => `${code} ${field}`).toSorted()).toEqual([
      "E-DI-1001 deliveryTime",
      "E-DI-1001 payload",
      "E-DI-1001 priority",
      "E-DI-3001 targetId",
    ]);
  });

  test.each([
    ["an unknown target", { ...draft, targetId: "nowhere" }, "E-DI-3001", "targetId"],
    ["a malformed target id", { ...draft, targetId: "no such!" }, "E-DI-3001", "targetId"],
    ["a missing time", { targetId: "orders", payload: "" }, "E-DI-1001", "deliveryTime"],
    [
      "a time without offset",
      { ...draft, deliveryTime: "2099-01-02T03:04:05" },
      "E-DI-1001",
      "deliveryTime",
    ],
    ["a number for a time", { ...draft, deliveryTime: 4_000_000_000 }, "E-DI-1001", "deliveryTime"],
    ["a payload too long", { ...draft, payload: "x".repeat(61_441) }, "E-DI-5002", "payload"],
    ["a lone surrogate", { ...draft, payload: "\ud800" }, "E-DI-1001", "payload"],
    ["an unknown field", { ...draft, ttl: 5 }, "E-DI-1001", "ttl"],
    ["null for a payload", { ...draft, payload: null }, "E-DI-1001", "payload"],
  ])("refuses %s", async (_name, body, code, field) => {
    const answer = await schedule(body);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toEqual({ errors: [{ code, field, message: expect.any(String) }] });
  });

  test.each([
    ["nothing", ""],
    ["emoji at the limit", "🕰".repeat(61_440)],
    ["NUL and separators", "\0\u2028\u2029\ufeff\u{10ffff}"],
  ])("returns a payload unchanged: %s", async (_name, payload) => {
    const { messageId } = (await schedule({ ...draft, payload })).json<{ messageId: string }>();
    const answer = await api.call({ url: `/v1/messages/${messageId}/payload` });
    expect(answer.json()).toEqual({ messageId, payload });
  });

  test("a repeat with the same key gets the first answer, and another request with it is refused", async () => {
    const headers = { "idempotency-key": "k-1" };
    const first = await schedule(draft, headers);
    const again = await schedule(
      { ...draft, deliveryTime: "2099-01-02T05:04:05.678+02:00" },
      headers,
    );
    expect(first.headers["idempotency-replayed"]).toBeUndefined();
    expect(again.headers["idempotency-replayed"]).toBe("true");
    expect(again.body).toBe(first.body);
    const other = await schedule({ ...draft, payload: "other" }, headers);
    expect(other.statusCode).toBe(422);
    expect(other.json()).toMatchObject({ errors: [{ code: "E-DI-5007" }] });
  });

  test.each([["with space"], ["é"], ["x".repeat(256)]])("refuses the key %s", async (key) => {
    const answer = await schedule(draft, { "idempotency-key": key });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ errors: [{ field: "Idempotency-Key" }] });
  });
});

describe("batch", () => {
  const batch = (body: object, headers = {}) =>
    api.call({ method: "POST", url: "/v1/messages/batch", body, headers });

  test("answers for each message, in order", async () => {
    const messages = [
      draft,
      { ...draft, targetId: "nowhere" },
      { ...draft, payload: "\udc00", deliveryTime: "never", targetId: "nowhere" },
      "what",
      { ...draft, payload: "x".repeat(61_441), colour: "red" },
      draft,
    ];
    const answer = await batch({ messages });
    expect(answer.statusCode).toBe(200);
    const { results } = answer.json<{
      results: { errors?: { code: string; field?: string }[] }[];
    }>();
    expect(results.map(({ errors }) => errors?.map((one) => `${one.code} ${one.field}`))).toEqual([
      undefined,
      ["E-DI-3001 targetId"],
      ["E-DI-1001 payload", "E-DI-1001 deliveryTime", "E-DI-3001 targetId"],
      ["E-DI-1001 undefined"],
      ["E-DI-1001 colour", "E-DI-5002 payload"],
      undefined,
    ]);
    expect(results[0]).toMatchObject({ message: { state: "SCHEDULED", expirationTime: null } });
  });

  test("is repeated message by message, separately from single calls with the same key", async () => {
    const headers = { "idempotency-key": "k-batch/0" };
    const single = await schedule(draft, headers);
    const first = await batch({ messages: [draft, draft] }, headers);
    const again = await batch({ messages: [draft, draft] }, headers);
    expect(again.body).toBe(first.body);
    expect(first.headers["idempotency-replayed"]).toBeUndefined();
    expect(again.headers["idempotency-replayed"]).toBe("true");
    expect(first.body).not.toContain(single.json<{ messageId: string }>().messageId);
  });

  test.each([
    ["no messages", { messages: [] }, "messages"],
    ["too many", { messages: Array.from({ length: 1_001 }, () => draft) }, "messages"],
    ["an unknown field beside the messages", { messages: [draft], dryRun: true }, "dryRun"],
  ])("refuses %s as a whole", async (_name, body, field) => {
    const answer = await batch(body);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ errors: [{ code: "E-DI-1001", field }] });
  });
});

describe("one message", () => {
  const change = (messageId: string, verb: string, body?: object) =>
    api.call({ method: "POST", url: `/v1/messages/${messageId}/${verb}`, ...(body && { body }) });

  test("is read, rescheduled and cancelled", async () => {
    const { messageId } = (await schedule(draft)).json<{ messageId: string }>();
    const moved = await change(messageId, "reschedule", { deliveryTime: "2100-01-01T00:00:00Z" });
    expect(moved.json()).toMatchObject({
      nextDeliveryTime: "2100-01-01T00:00:00.000Z",
      originalDeliveryTime: "2099-01-02T03:04:05.678Z",
    });
    const cancelled = await change(messageId, "cancel");
    expect(cancelled.json()).toMatchObject({ state: "CANCELLED", nextDeliveryTime: null });
    expect((await api.call({ url: `/v1/messages/${messageId}` })).body).toBe(cancelled.body);
    const again = await change(messageId, "cancel", {});
    expect(again.statusCode).toBe(400);
    expect(again.json()).toMatchObject({ errors: [{ code: "E-DI-5003" }] });
    const attempts = await api.call({ url: `/v1/messages/${messageId}/attempts` });
    expect(attempts.json()).toEqual({ messageId, attempts: [] });
  });

  test.each([["msg_01k9xvq8c7e4nv3q0t2m5r8w1z"], ["nonsense"], ["x".repeat(3_000)], ["%00"]])(
    "that does not exist has no body to answer with: %s",
    async (messageId) => {
      for (const suffix of ["", "/payload", "/attempts"]) {
        const answer = await api.call({ url: `/v1/messages/${messageId}${suffix}` });
        expect(answer.statusCode).toBe(404);
        expect(answer.body).toBe("");
      }
      for (const [verb, body] of [
        ["cancel"],
        ["reschedule", { deliveryTime: draft.deliveryTime }],
      ] as const) {
        const answer = await change(messageId, verb, body);
        expect(answer.statusCode).toBe(400);
        expect(answer.json()).toMatchObject({ errors: [{ code: "E-DI-5001" }] });
      }
    },
  );

  test("cancel takes no fields", async () => {
    const answer = await change("nonsense", "cancel", { reason: "why not" });
    expect(answer.json()).toMatchObject({ errors: [{ code: "E-DI-1001", field: "reason" }] });
  });
});
