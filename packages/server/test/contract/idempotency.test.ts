import { beforeAll, describe, expect, test } from "vitest";
import { commonService } from "../support/common-service.ts";
import { expectRefusal } from "../support/expectations.ts";
import { rawRequest } from "../support/raw-request.ts";
import { farAway } from "../support/shared-service.ts";
import type { ScriptedTarget } from "../support/shared-service.ts";

const service = commonService();
let target: ScriptedTarget;
let good: Record<string, unknown>;
beforeAll(async () => {
  target = await service.target();
  good = { targetId: target.targetId, deliveryTime: farAway, payload: "once" };
});

const scheduleWith = (key: string, body: unknown) =>
  service.api("POST", "/v1/messages", { body, headers: { "idempotency-key": key } });
const scheduleBatchWith = (key: string, messages: readonly unknown[]) =>
  service.api("POST", "/v1/messages/batch", {
    body: { messages },
    headers: { "idempotency-key": key },
  });
async function countOf({ targetId }: ScriptedTarget): Promise<number> {
  const path = `/v1/targets/${targetId}/scheduled-messages?limit=100`;
  return (await service.ok("GET", path)).count;
}

describe("a repeat with the same Idempotency-Key", () => {
  test("gets the first answer, says so, and schedules nothing again", async () => {
    const before = await countOf(target);
    const first = await scheduleWith("repeat", good);
    expect(first.status).toBe(200);
    expect(first.headers.get("idempotency-replayed")).toBeNull();
    for (let repeat = 0; repeat < 3; repeat++) {
      const again = await scheduleWith("repeat", good);
      expect([again.status, again.body]).toStrictEqual([200, first.body]);
      expect(again.headers.get("idempotency-replayed")).toBe("true");
    }
    expect(await countOf(target)).toBe(before + 1);
  });

  test("gives one message when all repeats come at once", async () => {
    const before = await countOf(target);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => scheduleWith("parallel", good)),
    );
    const accepted = answers.filter(({ status }) => status === 200);
    expect(accepted.length).toBeGreaterThan(0);
    expect(new Set(accepted.map(({ body }) => body.messageId)).size).toBe(1);
    for (const answer of answers) {
      if (answer.status !== 200) expectRefusal(answer, 409, { code: "E-DI-5007" });
    }
    expect(await countOf(target)).toBe(before + 1);
  });

  test("schedules nothing again after the message was cancelled", async () => {
    const { body: first } = await scheduleWith("then-cancelled", good);
    await service.ok("POST", `/v1/messages/${first.messageId}/cancel`);
    const before = await countOf(target);
    const again = await scheduleWith("then-cancelled", good);
    expect([again.status, again.body.messageId]).toEqual([200, first.messageId]);
    expect(await countOf(target)).toBe(before);
  });

  test("delivers once", async () => {
    const own = await service.target();
    const due = { targetId: own.targetId, deliveryTime: "2020-01-01T00:00:00Z", payload: "x" };
    const { body } = await scheduleWith("due", due);
    await service.reaches(body.messageId, "DELIVERED");
    const again = await scheduleWith("due", due);
    expect([again.status, again.body.messageId]).toEqual([200, body.messageId]);
    expect(await countOf(own)).toBe(0);
    expect(own.receipts()).toHaveLength(1);
  });

  test("with another body is E-DI-5007 with 422, and changes nothing", async () => {
    const { body: first } = await scheduleWith("reused", good);
    const before = await countOf(target);
    const other = await service.target();
    for (const change of [
      { payload: "twice" },
      { payload: "" },
      { deliveryTime: "2999-01-01T00:00:00.001Z" },
      { targetId: other.targetId },
    ]) {
      const answer = await scheduleWith("reused", { ...good, ...change });
      expectRefusal(answer, 422, { code: "E-DI-5007", field: "Idempotency-Key" });
    }
    expect(await countOf(target)).toBe(before);
    expect((await scheduleWith("reused", good)).body).toStrictEqual(first);
  });

  test("after a refusal counts as the first call", async () => {
    expect((await scheduleWith("refused", { ...good, deliveryTime: "soon" })).status).toBe(400);
    expect((await scheduleWith("refused", { ...good, targetId: "nobody" })).status).toBe(400);
    const answer = await scheduleWith("refused", good);
    expect([answer.status, answer.headers.get("idempotency-replayed")]).toEqual([200, null]);
  });
});

test("keys differ by case, and different keys make different messages", async () => {
  const answers = await Promise.all(["k", "K", "k-"].map((key) => scheduleWith(key, good)));
  expect(new Set(answers.map(({ body }) => body.messageId)).size).toBe(3);
});

describe("a key is 1 to 255 visible ASCII characters", () => {
  test.each(["a", "!~\"'\\{}", "x".repeat(255), "8e03978e-40d5-43dd-bc93-6894a57f9324"])(
    "%s is accepted",
    async (key) => {
      expect((await scheduleWith(key, good)).status).toBe(200);
    },
  );

  test.each(["", "x".repeat(256), "a b", "a\tb", "schlüssel", "a, b"])(
    "%j is refused",
    async (key) => {
      const before = await countOf(target);
      const problem = { code: "E-DI-1001", field: "Idempotency-Key" };
      expectRefusal(await scheduleWith(key, good), 400, problem);
      expectRefusal(await scheduleBatchWith(key, [good]), 400, problem);
      expect(await countOf(target)).toBe(before);
    },
  );

  test("given twice is refused", async () => {
    const body = JSON.stringify(good);
    const answer = await rawRequest(
      service.url,
      `POST /v1/messages HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${service.key}\r\nContent-Type: application/json\r\nIdempotency-Key: a\r\nIdempotency-Key: b\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).toMatch(/"field":"Idempotency-Key"/);
  });
});

describe("on a batch", () => {
  test("a repeat gets the first answer", async () => {
    const own = await service.target();
    const item = { ...good, targetId: own.targetId };
    const messages = [item, { ...item, deliveryTime: "x" }, item];
    const first = await scheduleBatchWith("batch", messages);
    const again = await scheduleBatchWith("batch", messages);
    expect([again.status, again.body]).toStrictEqual([200, first.body]);
    expect(await countOf(own)).toBe(2);
  });

  test("equal items of one batch are separate messages", async () => {
    const { body } = await scheduleBatchWith("twins", [good, good]);
    const [one, two] = body.results;
    expect(one.message.messageId).not.toBe(two.message.messageId);
  });

  test("other contents under the same key are E-DI-5007 and schedule nothing", async () => {
    const own = await service.target();
    const item = { ...good, targetId: own.targetId };
    await scheduleBatchWith("batch-reused", [item, item]);
    const answer = await scheduleBatchWith("batch-reused", [{ ...item, payload: "else" }, item]);
    expect(answer.text).toContain("E-DI-5007");
    expect(await countOf(own)).toBe(2);
  });

  test("its key does not clash with the key of a single message", async () => {
    const own = await service.target();
    const item = { ...good, targetId: own.targetId };
    const { body: single } = await scheduleWith("shared", item);
    const { body } = await scheduleBatchWith("shared", [item]);
    expect(body.results?.[0]?.message?.messageId).not.toBe(single.messageId);
  });
});
