import { beforeAll, describe, expect, test } from "vitest";
import { longestDelayMs } from "@postdate/contract";
import { commonService } from "../support/common-service.ts";
import { expectMessage, expectRefusal } from "../support/expectations.ts";
import { farAway } from "../support/shared-service.ts";
import type { ScriptedTarget } from "../support/shared-service.ts";

const service = commonService();
let target: ScriptedTarget;
let good: { readonly targetId: string; readonly payload: string };
beforeAll(async () => {
  target = await service.target();
  good = { targetId: target.targetId, payload: "later" };
});

const hour = 3_600_000;
const schedule = (body: object, headers: Record<string, string> = {}) =>
  service.api("POST", "/v1/messages", { body, headers });
const reschedule = (messageId: string, body: object) =>
  service.api("POST", `/v1/messages/${messageId}/reschedule`, { body });

function delayOf(message: { schedulingTime: string; nextDeliveryTime: string }): number {
  return Date.parse(message.nextDeliveryTime) - Date.parse(message.schedulingTime);
}

const refused: readonly [what: string, time: object, field: string, says: RegExp][] = [
  ["neither", {}, "deliveryTime", /missing.*delayMs/],
  ["both", { deliveryTime: farAway, delayMs: 1 }, "delayMs", /both.*Leave one/],
  ["a negative delay", { delayMs: -1 }, "delayMs", /0 or more/],
  ["a fraction", { delayMs: 1.5 }, "delayMs", /whole number/],
  ["a delay too long", { delayMs: longestDelayMs + 1 }, "delayMs", /31622400000000 or less/],
  ["an endless delay", { delayMs: 1e300 }, "delayMs", /31622400000000 or less/],
  ["a text", { delayMs: "1000" }, "delayMs", /whole number/],
  ["null", { delayMs: null }, "delayMs", /whole number/],
  ["null beside a time", { deliveryTime: farAway, delayMs: null }, "delayMs", /whole number/],
];

describe("schedule", () => {
  test.each([0, 1, hour, longestDelayMs])("in %i ms", async (delayMs) => {
    const { status, body } = await schedule({ ...good, delayMs });
    expect(status).toBe(200);
    expectMessage(body, {
      targetId: target.targetId,
      state: "SCHEDULED",
      originalDeliveryTime: body.nextDeliveryTime,
      nextDeliveryTime: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(delayOf(body)).toBe(delayMs);
  });

  test("delivers after the delay, and not before", async () => {
    const own = await service.target();
    const message = await own.schedule({ deliveryTime: undefined, delayMs: 400 });
    expect(delayOf(message)).toBe(400);
    const [receipt] = await own.received(1);
    expect(receipt!.messageId).toBe(message.messageId);
    expect(receipt!.at).toBeGreaterThanOrEqual(Date.parse(message.nextDeliveryTime));
  });

  test.each(refused)("refuses %s", async (_, time, field, says) => {
    const answer = await schedule({ ...good, ...time });
    expectRefusal(answer, 400, { code: "E-DI-1001", field });
    expect(answer.body.errors[0].message).toMatch(says);
  });

  test("names what is wrong with a time although a delay is given too", async () => {
    const answer = await schedule({ ...good, deliveryTime: "soon", delayMs: 1 });
    const problem = (field: string) => ({ code: "E-DI-1001", field });
    expectRefusal(answer, 400, problem("deliveryTime"), problem("delayMs"));
  });

  test("converges on the first answer with the same key, and only for the same delay", async () => {
    const keyed = { "idempotency-key": "delayed" };
    const first = await schedule({ ...good, delayMs: hour }, keyed);
    const again = await schedule({ ...good, delayMs: hour }, keyed);
    expect([again.status, again.body]).toStrictEqual([200, first.body]);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    for (const time of [{ delayMs: hour + 1 }, { deliveryTime: first.body.nextDeliveryTime }]) {
      const other = await schedule({ ...good, ...time }, keyed);
      expectRefusal(other, 422, { code: "E-DI-5007", field: "Idempotency-Key" });
    }
  });
});

test("a batch may mix delays and times, and refuses items one by one", async () => {
  const items = [
    { ...good, delayMs: 2 * hour },
    { ...good, deliveryTime: farAway },
    ...refused.map(([, time]) => ({ ...good, ...time })),
  ];
  const { status, body } = await service.api("POST", "/v1/messages/batch", {
    body: { messages: items },
  });
  expect(status).toBe(200);
  const [delayed, timed, ...others] = body.results;
  expect(delayOf(delayed.message)).toBe(2 * hour);
  expect(Date.parse(timed.message.nextDeliveryTime)).toBe(Date.parse(farAway));
  const fields = others.map(({ errors }: { errors: { code: string; field: string }[] }) =>
    errors.map(({ code, field }) => `${code} ${field}`),
  );
  expect(fields).toEqual(refused.map(([, , field]) => [`E-DI-1001 ${field}`]));
});

describe("reschedule", () => {
  test("moves a message, also a cancelled one, by a delay from now", async () => {
    const before = await target.schedule({ deliveryTime: farAway });
    await service.ok("POST", `/v1/messages/${before.messageId}/cancel`);
    const { status, body } = await reschedule(before.messageId, { delayMs: hour });
    expect(status).toBe(200);
    const after = await target.schedule({ deliveryTime: farAway });
    expectMessage(body, { ...before, nextDeliveryTime: body.nextDeliveryTime });
    const movedAt = Date.parse(body.nextDeliveryTime) - hour;
    expect(movedAt).toBeGreaterThanOrEqual(Date.parse(before.schedulingTime));
    expect(movedAt).toBeLessThanOrEqual(Date.parse(after.schedulingTime));
  });

  test("delivers after the delay, and not before", async () => {
    const own = await service.target();
    const { messageId } = await own.schedule({ deliveryTime: farAway });
    const { body } = await reschedule(messageId, { delayMs: 300 });
    const [receipt] = await own.received(1);
    expect(receipt!.at).toBeGreaterThanOrEqual(Date.parse(body.nextDeliveryTime));
  });

  test.each(refused)("refuses %s, and changes nothing", async (_, time, field, says) => {
    const message = await target.schedule({ deliveryTime: farAway });
    const answer = await reschedule(message.messageId, time);
    expectRefusal(answer, 400, { code: "E-DI-1001", field });
    expect(answer.body.errors[0].message).toMatch(says);
    expect(await service.ok("GET", `/v1/messages/${message.messageId}`)).toStrictEqual(message);
  });
});
