import { beforeAll, describe, expect, test } from "vitest";
import { commonService } from "../support/common-service.ts";
import { expectMessage, expectProblems, expectRefusal } from "../support/expectations.ts";
import { farAway } from "../support/shared-service.ts";
import type { ScriptedTarget } from "../support/shared-service.ts";

const service = commonService();
let target: ScriptedTarget;
let good: Record<string, unknown>;
beforeAll(async () => {
  target = await service.target();
  good = { targetId: target.targetId, deliveryTime: farAway, payload: "" };
});

const scheduleBatch = (messages: unknown) =>
  service.api("POST", "/v1/messages/batch", { body: { messages } });
const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    ...good,
    deliveryTime: new Date(Date.UTC(2999, 0, 1) + index).toISOString(),
  }));
async function countScheduled(): Promise<number> {
  const path = `/v1/targets/${target.targetId}/scheduled-messages?limit=100`;
  return (await service.ok("GET", path)).count;
}

describe("results come in the order of the messages", () => {
  test.each([1, 2, 1000])("%i messages", async (count) => {
    const messages = numbered(count);
    const { status, body } = await scheduleBatch(messages);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(["results"]);
    expect(body.results).toHaveLength(count);
    for (const [index, result] of body.results.entries()) {
      expect(Object.keys(result)).toEqual(["message"]);
      const nextDeliveryTime = messages[index]!.deliveryTime;
      expectMessage(result.message, {
        targetId: target.targetId,
        state: "SCHEDULED",
        nextDeliveryTime,
      });
    }
    const ids = body.results.map(
      (result: { message: { messageId: string } }) => result.message.messageId,
    );
    expect(new Set(ids).size).toBe(count);
    const last = body.results.at(-1).message;
    expect(await service.ok("GET", `/v1/messages/${last.messageId}`)).toStrictEqual(last);
  });

  test("each message counts alone: refused ones say why, and the others are scheduled", async () => {
    const before = await service.target();
    const messages = [
      { ...good, targetId: before.targetId, payload: "first" },
      { ...good, targetId: "nobody" },
      { ...good, deliveryTime: "2996-02-30T00:00:00Z" },
      { ...good, payload: "a".repeat(61_441) },
      { ...good, payload: "\ud83d" },
      {},
      { ...good, targetId: "nobody", deliveryTime: 5, extra: 1 },
      { ...good, targetId: before.targetId, payload: "last" },
      "text",
      null,
      [],
    ];
    const { status, body } = await scheduleBatch(messages);
    expect(status).toBe(200);
    const { results } = body;
    expect(results).toHaveLength(messages.length);
    for (const [index, payload] of [
      [0, "first"],
      [7, "last"],
    ] as const) {
      const { messageId } = results[index].message;
      expect((await service.ok("GET", `/v1/messages/${messageId}/payload`)).payload).toBe(payload);
    }
    const refusals: Record<number, { code: string; field?: string }[]> = {
      1: [{ code: "E-DI-3001", field: "targetId" }],
      2: [{ code: "E-DI-1001", field: "deliveryTime" }],
      3: [{ code: "E-DI-5002", field: "payload" }],
      4: [{ code: "E-DI-1001", field: "payload" }],
      5: ["targetId", "deliveryTime", "payload"].map((field) => ({ code: "E-DI-1001", field })),
      6: [
        { code: "E-DI-3001", field: "targetId" },
        { code: "E-DI-1001", field: "deliveryTime" },
        { code: "E-DI-1001", field: "extra" },
      ],
    };
    for (const [index, problems] of Object.entries(refusals)) {
      expect(Object.keys(results[index])).toEqual(["errors"]);
      expectProblems(results[index].errors, problems);
    }
    for (const index of [8, 9, 10]) expect(results[index].errors[0].code).toBe("E-DI-1001");
    const path = `/v1/targets/${before.targetId}/scheduled-messages`;
    expect((await service.ok("GET", path)).count).toBe(2);
  });

  test("a batch of due messages is delivered, each with its own payload", async () => {
    const own = await service.target();
    const messages = Array.from({ length: 30 }, (_, index) => ({
      targetId: own.targetId,
      deliveryTime: "2020-01-01T00:00:00Z",
      payload: `number ${index}`,
    }));
    const { body } = await scheduleBatch(messages);
    const receipts = await own.received(30);
    const arrived = new Map(
      receipts.map((receipt) => [receipt.messageId, receipt.body.toString()]),
    );
    expect(
      body.results.map((result: { message: { messageId: string } }) =>
        arrived.get(result.message.messageId),
      ),
    ).toEqual(messages.map(({ payload }) => payload));
  });
});

describe("a batch is refused as a whole", () => {
  test.each([
    ["0 messages", () => []],
    ["1001 messages", () => numbered(1001)],
    ["no list", () => ({ 0: good })],
    ["text", () => "[]"],
    ["null", () => null],
    ["nothing", () => undefined],
  ])("%s", async (_, messages) => {
    const before = await countScheduled();
    const answer = await scheduleBatch(messages());
    expectRefusal(answer, 400, { code: "E-DI-1001", field: "messages" });
    expect(await countScheduled()).toBe(before);
  });

  test("with an unknown field beside the messages", async () => {
    const before = await countScheduled();
    const body = { messages: [good], extra: 1 };
    const answer = await service.api("POST", "/v1/messages/batch", { body });
    expectRefusal(answer, 400, { code: "E-DI-1001", field: "extra" });
    expect(await countScheduled()).toBe(before);
  });
});

describe("the body of a batch may be 16 MiB", () => {
  const sixteenMiB = 16 * 1024 * 1024;
  const bodyOf = (bytes: number): string => {
    const items = Array.from({ length: 300 }, () => ({ ...good, payload: "a".repeat(50_000) }));
    const text = JSON.stringify({ messages: items });
    return text.slice(0, -1) + " ".repeat(bytes - text.length) + "}";
  };

  test("exactly that size is accepted", async () => {
    const answer = await service.api("POST", "/v1/messages/batch", { body: bodyOf(sixteenMiB) });
    expect([answer.status, answer.body.results?.length]).toEqual([200, 300]);
  });

  test("more is 413", async () => {
    const answer = await service.api("POST", "/v1/messages/batch", {
      body: bodyOf(sixteenMiB + 1),
    });
    expectRefusal(answer, 413, { code: "E-DI-1003" });
  });
});
