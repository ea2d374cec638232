import { describe, expect, test } from "vitest";
import { inMs } from "../support/api.ts";
import { commonService } from "../support/common-service.ts";
import { farAway, status } from "../support/shared-service.ts";
import { verifyWebhook } from "../support/verify-webhook.ts";

const service = commonService();

const attemptsOf = async (messageId: string) =>
  (await service.ok("GET", `/v1/messages/${messageId}/attempts`)).attempts;

describe("an attempt", () => {
  test("is a POST with the payload as its body, signed per Standard Webhooks", async () => {
    const target = await service.target({
      headers: { "x-shop": "berlin", Authorization: "Basic eDp5" },
      contentType: "application/json",
    });
    const deliveryTime = inMs(20);
    const payload = '{"order":"ä€😀"}';
    const { messageId } = await target.schedule({ deliveryTime, payload });
    const [receipt] = await target.received(1);
    expect(receipt!.body.toString()).toBe(payload);
    expect(receipt!.headers).toMatchObject({
      "webhook-id": messageId,
      "webhook-timestamp": expect.stringMatching(/^\d{10}$/),
      "webhook-signature": expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
      "postdate-attempt": "1",
      "postdate-target": target.targetId,
      "postdate-original-delivery-time": deliveryTime,
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(payload)),
      "x-shop": "berlin",
      authorization: "Basic eDp5",
      host: new URL(service.receiver.url).host,
    });
    expect(
      Math.abs(Number(receipt!.headers["webhook-timestamp"]) * 1_000 - receipt!.at),
    ).toBeLessThan(60_000);
    verifyWebhook(target.secret, receipt!);
    const altered = { ...receipt!, body: Buffer.from("{}") };
    expect(() => verifyWebhook(target.secret, altered)).toThrow(/signature/i);
  });

  test("has text/plain as its type unless the target sets another", async () => {
    const target = await service.target();
    await target.schedule({ payload: "" });
    const [receipt] = await target.received(1);
    expect(receipt!.headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(receipt!.headers["content-length"]).toBe("0");
    verifyWebhook(target.secret, receipt!);
  });

  test("keeps its id and original time over retries and reschedules, with attempts counted", async () => {
    const retryPolicy = { maxAttempts: 3, backoff: { kind: "list", delaysMs: [10] } };
    const target = await service.target({ retryPolicy });
    target.answerWith(status(503));
    const deliveryTime = "2020-01-01T00:00:00.000Z";
    const { messageId } = await target.schedule({ deliveryTime });
    await service.reaches(messageId, "DEAD_LETTER");
    target.answerWith(status(200));
    const body = { deliveryTime: inMs(0) };
    await service.ok("POST", `/v1/messages/${messageId}/reschedule`, { body });
    const receipts = await target.received(4);
    expect(receipts.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4]);
    for (const receipt of receipts) {
      expect(receipt.messageId).toBe(messageId);
      expect(receipt.headers["postdate-original-delivery-time"]).toBe(deliveryTime);
      verifyWebhook(target.secret, receipt);
    }
  });
});

describe("what the answer means", () => {
  test.each([200, 201, 202, 204, 226, 299])("%i is a success", async (code) => {
    const target = await service.target({ retryPolicy: { maxAttempts: 1 } });
    target.answerWith(status(code));
    const { messageId } = await target.schedule();
    expect((await service.reaches(messageId, "DELIVERED")).deliveryFailureCount).toBe(0);
  });

  test.each([300, 304, 400, 401, 404, 408, 429, 500, 503, 599])("%i is a failure", async (code) => {
    const target = await service.target({ retryPolicy: { maxAttempts: 1 } });
    target.answerWith(status(code));
    const { messageId } = await target.schedule();
    expect((await service.reaches(messageId, "DEAD_LETTER")).deliveryFailureCount).toBe(1);
    expect(await attemptsOf(messageId)).toMatchObject([
      { outcome: "BAD_STATUS", statusCode: code },
    ]);
  });

  test("410 and the policy's final statuses give a dead letter at once", async () => {
    const retryPolicy = {
      maxAttempts: 5,
      finalStatuses: [422],
      backoff: { kind: "list", delaysMs: [10] },
    };
    for (const code of [410, 422]) {
      const target = await service.target({ retryPolicy });
      target.answerWith(status(code));
      const { messageId } = await target.schedule();
      expect((await service.reaches(messageId, "DEAD_LETTER")).deliveryFailureCount).toBe(1);
      expect(target.receipts()).toHaveLength(1);
    }
  });

  test("no answer in time is a TIMEOUT", async () => {
    const target = await service.target({ timeoutMs: 150, retryPolicy: { maxAttempts: 1 } });
    target.answerWith(() => {});
    const { messageId } = await target.schedule();
    await service.reaches(messageId, "DEAD_LETTER");
    const [attempt] = await attemptsOf(messageId);
    expect(attempt).toMatchObject({ outcome: "TIMEOUT", statusCode: null });
    const tookMs = Date.parse(attempt.endTime) - Date.parse(attempt.startTime);
    expect(tookMs).toBeGreaterThanOrEqual(149);
    expect(tookMs).toBeLessThan(60_000);
  });

  test("a reset, a refused connection and a broken TLS handshake are failures", async () => {
    const once = { retryPolicy: { maxAttempts: 1 } };
    const reset = await service.target(once);
    reset.answerWith((_, response) => void response.socket?.resetAndDestroy());
    const nobody = await service.target({ ...once, url: "http://127.0.0.1:1/" });
    const notTls = await service.target({
      ...once,
      url: service.receiver.url.replace("http", "https"),
    });
    for (const [target, outcome] of [
      [reset, "CONNECTION_FAILED"],
      [nobody, "CONNECTION_FAILED"],
      [notTls, "TLS_FAILED"],
    ] as const) {
      const { messageId } = await target.schedule();
      await service.reaches(messageId, "DEAD_LETTER");
      const attempts = await attemptsOf(messageId);
      expect(attempts).toMatchObject([
        { outcome, statusCode: null, error: expect.stringMatching(/./) },
      ]);
    }
  });
});

describe("rotate-secret", () => {
  const rotate = (targetId: string, body?: unknown) =>
    service.ok("POST", `/v1/targets/${targetId}/rotate-secret`, { body });

  test("signs with both secrets while they overlap", async () => {
    const target = await service.target();
    const { secret, targetId } = await rotate(target.targetId);
    expect([targetId, secret === target.secret]).toEqual([target.targetId, false]);
    await target.schedule();
    const [receipt] = await target.received(1);
    expect(receipt!.headers["webhook-signature"]).toMatch(/^v1,\S+ v1,\S+$/);
    verifyWebhook(secret, receipt!);
    verifyWebhook(target.secret, receipt!);
    expect(() => verifyWebhook(`whsec_${Buffer.alloc(32).toString("base64")}`, receipt!)).toThrow(
      /signature/i,
    );
  });

  test("without an overlap the old secret is no longer used", async () => {
    const target = await service.target();
    const given = `whsec_${Buffer.alloc(32, 9).toString("base64")}`;
    expect((await rotate(target.targetId, { secret: given, overlapMs: 0 })).secret).toBe(given);
    await target.schedule();
    const [receipt] = await target.received(1);
    verifyWebhook(given, receipt!);
    expect(() => verifyWebhook(target.secret, receipt!)).toThrow(/signature/i);
  });

  test("never shows a secret elsewhere, and refuses bad input", async () => {
    const target = await service.target();
    await target.schedule({ deliveryTime: farAway });
    const { text } = await service.api("GET", `/v1/targets/${target.targetId}`);
    expect(text).not.toContain(target.secret.slice(6));
    const path = `/v1/targets/${target.targetId}/rotate-secret`;
    for (const [field, value] of [
      ["secret", "x"],
      ["overlapMs", -1],
      ["overlapMs", "5"],
      ["extra", 1],
    ] as const) {
      const { status: code, body } = await service.api("POST", path, { body: { [field]: value } });
      expect([code, body.errors]).toMatchObject([400, [{ code: "E-DI-1001", field }]]);
    }
    const both = await service.api("POST", path, {
      body: { secret: "x", overlapMs: -1, extra: 1 },
    });
    const fields = both.body.errors.map((problem: { field: string }) => problem.field);
    expect(fields.toSorted()).toEqual(["extra", "overlapMs", "secret"]);
    await target.schedule();
    const [receipt] = await target.received(1);
    expect(receipt!.headers["webhook-signature"]).toMatch(/^v1,\S+$/);
    verifyWebhook(target.secret, receipt!);
  });
});
