import { describe, expect, test } from "vitest";
import { anyInstant, expectRefusal } from "../support/expectations.ts";
import { status } from "../support/shared-service.ts";
import { due, keyedMessages, outcomeOf, sooner } from "./support/keyed-messages.ts";
import { onEachStore } from "./support/on-each-store.ts";

const hostile = {
  "a slash": "a/b//c/",
  "what looks like a route": "k/cancel",
  "three dots": "...",
  "percent signs": "100%25%2F%",
  "a question mark and a hash": "a?b=c#d",
  spaces: " a  b ",
  "a plus sign": "a+b",
  unicode: "größe 😀 日本 é",
  "a composed letter beside its parts": "\u00e9 e\u0301",
  "a quotation mark and a backslash": `"'\\\``,
  "200 characters": "x".repeat(200),
  "200 characters of four bytes": "😀".repeat(200),
  SQL: "'; DROP TABLE message_keys; --",
  "the name of a property": "__proto__",
  "an invisible character": "a\u200bb\ufeff",
};

onEachStore((makeService) => {
  const service = makeService();

  async function withTarget() {
    const target = await service.target();
    return { target, ...keyedMessages(service, target) };
  }

  describe("a message is found, rescheduled and cancelled by its key", () => {
    test.each(Object.entries(hostile))("with %s", async (_, key) => {
      const { schedule, scheduled, find, rescheduleByKey, cancelByKey } = await withTarget();
      const message = await scheduled({ key });
      expect(message.key).toBe(key);
      expectRefusal(await schedule({ key }), 409, { code: "E-DI-5008", field: "key" });
      expect((await find(key)).body).toStrictEqual(message);
      const moved = await rescheduleByKey(key, { deliveryTime: sooner });
      expect(moved.body).toStrictEqual({ ...message, nextDeliveryTime: sooner });
      const cancelled = await cancelByKey(key);
      expect(cancelled.body).toMatchObject({
        messageId: message.messageId,
        state: "CANCELLED",
        cancellationTime: anyInstant,
        key,
      });
      expect((await find(key)).status).toBe(404);
    });
  });

  test("keys are compared by their characters alone", async () => {
    const { schedule, find } = await withTarget();
    const keys = ["a", "A", "a ", " a", "\u00e9", "e\u0301", "%61", "a\u200b"];
    for (const key of keys) expect(outcomeOf(await schedule({ key }))).toBe("created");
    for (const key of keys) expect((await find(key)).body.key).toBe(key);
  });

  describe("a key that no scheduled message has", () => {
    const absent = {
      "is unknown": "nothing",
      "is empty": "",
      "has a NUL": "a\0b",
      "has control characters": "\n\t\u007f",
      "is too long": "x".repeat(201),
      "is much too long": "x".repeat(10_000),
    };
    test.each(Object.entries(absent))("%s: 404 without a body, and E-DI-5001", async (_, key) => {
      const { find, cancelByKey, rescheduleByKey, scheduled, pending } = await withTarget();
      const other = await scheduled();
      const found = await find(key);
      expect([found.status, found.text]).toEqual([404, ""]);
      expectRefusal(await cancelByKey(key), 400, { code: "E-DI-5001" });
      expectRefusal(await rescheduleByKey(key), 400, { code: "E-DI-5001" });
      expect(await pending()).toStrictEqual([other]);
    });

    test("is that of a message that has ended", async () => {
      const { find, cancelByKey, scheduled } = await withTarget();
      const { messageId } = await scheduled({ deliveryTime: due });
      await service.reaches(messageId, "DELIVERED");
      expect((await find("k")).status).toBe(404);
      expectRefusal(await cancelByKey("k"), 400, { code: "E-DI-5001" });
    });
  });

  test.each(["%", "%zz", "%c3%28", "%ed%a0%80"])("a path with %s is refused", async (bad) => {
    const { target } = await withTarget();
    for (const [method, action] of [
      ["GET", ""],
      ["POST", "/cancel"],
    ] as const) {
      const path = `/v1/targets/${target.targetId}/keys/${bad}${action}`;
      expect((await service.api(method, path)).status).toBe(400);
    }
  });

  test("an unknown or malformed target has no keys", async () => {
    for (const targetId of ["nobody", "a%00b", "%20", "x".repeat(500)]) {
      const found = await service.api("GET", `/v1/targets/${targetId}/keys/k`);
      expect([found.status, found.text]).toEqual([404, ""]);
      const cancelled = await service.api("POST", `/v1/targets/${targetId}/keys/k/cancel`);
      expectRefusal(cancelled, 400, { code: "E-DI-5001" });
    }
  });

  test("rescheduling by key takes what rescheduling by id takes", async () => {
    const { target, scheduled, rescheduleByKey } = await withTarget();
    const { messageId } = await scheduled();
    expectRefusal(await rescheduleByKey("k", {}), 400, {
      code: "E-DI-1001",
      field: "deliveryTime",
    });
    const both = { deliveryTime: sooner, delayMs: 0 };
    expect((await rescheduleByKey("k", both)).status).toBe(400);
    expect((await rescheduleByKey("k", { deliveryTime: sooner, key: "other" })).status).toBe(400);
    target.answerWith(status(204));
    expect((await rescheduleByKey("k", { delayMs: 0 })).status).toBe(200);
    await service.reaches(messageId, "DELIVERED");
  });
});
