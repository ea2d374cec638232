import { describe, expect, test } from "vitest";
import { inMs } from "../support/api.ts";
import { commonService } from "../support/common-service.ts";
import { expectMessage, expectRefusal } from "../support/expectations.ts";
import { farAway } from "../support/shared-service.ts";

const service = commonService();

describe("schedule", () => {
  test("answers with the full Message: now, the requested time, and nothing else set", async () => {
    const target = await service.target();
    const before = Date.now();
    const message = await target.schedule({ deliveryTime: "2999-06-01T12:00:00.25+02:00" });
    const after = Date.now();
    expectMessage(message, {
      targetId: target.targetId,
      state: "SCHEDULED",
      originalDeliveryTime: "2999-06-01T10:00:00.250Z",
      nextDeliveryTime: "2999-06-01T10:00:00.250Z",
    });
    expect(Date.parse(message.schedulingTime)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(message.schedulingTime)).toBeLessThanOrEqual(after);
  });

  test("gives every message its own id", async () => {
    const target = await service.target();
    const messages = await Promise.all(
      Array.from({ length: 50 }, () => target.schedule({ deliveryTime: farAway })),
    );
    expect(new Set(messages.map((message) => message.messageId)).size).toBe(50);
  });

  test("answers in JSON, as every operation does", async () => {
    const target = await service.target();
    const { messageId } = await target.schedule({ deliveryTime: farAway });
    for (const path of ["", "/payload", "/attempts"]) {
      const { headers } = await service.api("GET", `/v1/messages/${messageId}${path}`);
      expect(headers.get("content-type")).toMatch(/^application\/json(; charset=utf-8)?$/);
    }
  });

  test("a target that does not exist is E-DI-3001 with 400", async () => {
    for (const targetId of ["nobody", "", " ", "a/b", "x".repeat(65), "__proto__"]) {
      const answer = await service.api("POST", "/v1/messages", {
        body: { targetId, deliveryTime: farAway, payload: "" },
      });
      expectRefusal(answer, 400, { code: "E-DI-3001", field: "targetId" });
    }
  });
});

describe("get", () => {
  test("gets the same answer as schedule", async () => {
    const target = await service.target();
    const message = await target.schedule({ deliveryTime: farAway });
    expect(await service.ok("GET", `/v1/messages/${message.messageId}`)).toStrictEqual(message);
  });

  test("shows the full Message after delivery", async () => {
    const target = await service.target();
    const { messageId, schedulingTime } = await target.schedule({ deliveryTime: inMs(0) });
    await target.received(1);
    await service.reaches(messageId, "DELIVERED");
    expectMessage(await service.ok("GET", `/v1/messages/${messageId}`), {
      messageId,
      schedulingTime,
      state: "DELIVERED",
      lastDeliveryTime: expect.any(String),
      expirationTime: expect.any(String),
    });
  });
});

describe("read the payload", () => {
  test("answers with the id and the payload, nothing else", async () => {
    const target = await service.target();
    const payload = 'a "quoted" \\ line\r\n\tand ü € 😀';
    const { messageId } = await target.schedule({ deliveryTime: farAway, payload });
    expect(await service.ok("GET", `/v1/messages/${messageId}/payload`)).toStrictEqual({
      messageId,
      payload,
    });
  });

  test("works in every state", async () => {
    const target = await service.target();
    const { messageId } = await target.schedule({ deliveryTime: farAway, payload: "kept" });
    await service.ok("POST", `/v1/messages/${messageId}/cancel`);
    expect((await service.ok("GET", `/v1/messages/${messageId}/payload`)).payload).toBe("kept");
  });
});

describe("an id that does not exist", () => {
  const ids = ["msg_0", "nope", "%20", "%00", "..%2F..", "%F0%9F%98%80", "x".repeat(300), "1"];

  test.each(["", "/payload", "/attempts"])(
    "GET /v1/messages/{messageId}%s: 404 without a body",
    async (path) => {
      for (const id of ids) {
        const { status, text, headers } = await service.api("GET", `/v1/messages/${id}${path}`);
        expect([id, status, text]).toEqual([id, 404, ""]);
        expect(headers.get("content-length") ?? "0").toBe("0");
      }
    },
  );

  test("cancel and reschedule: E-DI-5001 with 400", async () => {
    for (const id of ids) {
      const cancelled = await service.api("POST", `/v1/messages/${id}/cancel`);
      expectRefusal(cancelled, 400, { code: "E-DI-5001" });
      const moved = await service.api("POST", `/v1/messages/${id}/reschedule`, {
        body: { deliveryTime: farAway },
      });
      expectRefusal(moved, 400, { code: "E-DI-5001" });
    }
  });
});
