import { describe, expect, test } from "vitest";
import { inMs } from "../support/api.ts";
import type { ApiAnswer } from "../support/api.ts";
import { commonService } from "../support/common-service.ts";
import { anyInstant, expectMessage, expectRefusal } from "../support/expectations.ts";
import { farAway, patiently, status } from "../support/shared-service.ts";

const service = commonService();
const days = 86_400_000;
const retentionMs = 14 * days;

type Message = ApiAnswer["body"];
const get = (messageId: string): Promise<Message> => service.ok("GET", `/v1/messages/${messageId}`);
const cancel = (messageId: string) => service.api("POST", `/v1/messages/${messageId}/cancel`);
const reschedule = (messageId: string, deliveryTime: string) =>
  service.api("POST", `/v1/messages/${messageId}/reschedule`, { body: { deliveryTime } });

async function deadLetter(
  maxAttempts = 1,
): Promise<[Message, Awaited<ReturnType<typeof service.target>>]> {
  const retryPolicy = { maxAttempts, backoff: { kind: "list", delaysMs: [10] } };
  const target = await service.target({ retryPolicy });
  target.answerWith(status(500));
  const { messageId } = await target.schedule();
  return [await service.reaches(messageId, "DEAD_LETTER"), target];
}

const ms = (time: string): number => Date.parse(time);

describe("SCHEDULED", () => {
  test("an attempt succeeds → DELIVERED", async () => {
    const target = await service.target();
    const deliveryTime = inMs(50);
    const scheduled = await target.schedule({ deliveryTime });
    const [receipt] = await target.received(1);
    const message = await service.reaches(scheduled.messageId, "DELIVERED");
    expectMessage(message, {
      ...scheduled,
      state: "DELIVERED",
      originalDeliveryTime: deliveryTime,
      nextDeliveryTime: null,
      lastDeliveryTime: anyInstant,
      expirationTime: anyInstant,
    });
    expect(ms(message.lastDeliveryTime)).toBeGreaterThanOrEqual(ms(deliveryTime));
    expect(ms(message.lastDeliveryTime)).toBeLessThanOrEqual(receipt!.at);
    const keptMs = ms(message.expirationTime) - receipt!.at;
    expect(keptMs).toBeGreaterThanOrEqual(retentionMs);
    expect(keptMs).toBeLessThan(retentionMs + 60_000);
  });

  test("an attempt fails with retries left → SCHEDULED for the next attempt", async () => {
    const retryPolicy = { maxAttempts: 3, backoff: { kind: "list", delaysMs: [3_600_000] } };
    const target = await service.target({ retryPolicy });
    target.answerWith(status(500));
    const scheduled = await target.schedule();
    await expect
      .poll(async () => (await get(scheduled.messageId)).deliveryFailureCount, patiently)
      .toBe(1);
    const message = await get(scheduled.messageId);
    expectMessage(message, {
      ...scheduled,
      deliveryFailureCount: 1,
      nextDeliveryTime: anyInstant,
      lastDeliveryTime: anyInstant,
    });
    const delayMs = ms(message.nextDeliveryTime) - ms(message.lastDeliveryTime);
    expect(delayMs).toBeGreaterThanOrEqual(3_600_000);
    expect(delayMs).toBeLessThan(3_660_000);
    const { items } = await service.ok("GET", `/v1/targets/${target.targetId}/scheduled-messages`);
    expect(items).toStrictEqual([message]);
  });

  test("an attempt fails with no retries left → DEAD_LETTER", async () => {
    const [message, target] = await deadLetter(3);
    expectMessage(message, {
      targetId: target.targetId,
      state: "DEAD_LETTER",
      deadLetterReason: "ATTEMPTS_EXHAUSTED",
      deliveryFailureCount: 3,
      lastDeliveryTime: anyInstant,
      deadLetterTime: anyInstant,
      expirationTime: anyInstant,
    });
    expect(ms(message.deadLetterTime)).toBeGreaterThanOrEqual(ms(message.lastDeliveryTime));
    expect(ms(message.expirationTime) - ms(message.deadLetterTime)).toBe(retentionMs);
    expect(target.receipts()).toHaveLength(3);
  });

  test("cancel → CANCELLED, and it never arrives", async () => {
    const target = await service.target();
    const scheduled = await target.schedule({ deliveryTime: inMs(300) });
    const { status: code, body: message } = await cancel(scheduled.messageId);
    expect(code).toBe(200);
    expectMessage(message, {
      ...scheduled,
      state: "CANCELLED",
      nextDeliveryTime: null,
      cancellationTime: anyInstant,
      expirationTime: anyInstant,
    });
    expect(ms(message.expirationTime) - ms(message.cancellationTime)).toBe(retentionMs);
    expect(await get(scheduled.messageId)).toStrictEqual(message);
    const later = await target.schedule({ deliveryTime: inMs(400) });
    const receipts = await target.received(1);
    expect(receipts.map(({ messageId }) => messageId)).toEqual([later.messageId]);
  });

  test("reschedule → SCHEDULED at the new time; the original time stays", async () => {
    const target = await service.target();
    const scheduled = await target.schedule({ deliveryTime: farAway });
    const nextDeliveryTime = "2998-01-01T00:00:00.000Z";
    const { status: code, body } = await reschedule(scheduled.messageId, nextDeliveryTime);
    expect(code).toBe(200);
    expectMessage(body, { ...scheduled, nextDeliveryTime });
    expect(await get(scheduled.messageId)).toStrictEqual(body);
  });

  test("reschedule into the past means now", async () => {
    const target = await service.target();
    const { messageId } = await target.schedule({ deliveryTime: farAway });
    expect((await reschedule(messageId, "1999-01-01T00:00:00Z")).status).toBe(200);
    await service.reaches(messageId, "DELIVERED");
    expect(target.receipts()).toHaveLength(1);
  });
});

describe("reschedule brings back", () => {
  test("a DEAD_LETTER: its failure count stays, and the retry budget starts again", async () => {
    const [dead, target] = await deadLetter(2);
    const { body: waiting } = await reschedule(dead.messageId, farAway);
    const { deadLetterReason, ...others } = dead;
    expect(deadLetterReason).toBe("ATTEMPTS_EXHAUSTED");
    expectMessage(waiting, {
      ...others,
      state: "SCHEDULED",
      nextDeliveryTime: farAway,
      deadLetterTime: null,
      expirationTime: null,
    });
    const { count } = await service.ok("GET", `/v1/targets/${target.targetId}/dead-letters`);
    expect(count).toBe(0);
    await reschedule(dead.messageId, inMs(0));
    expect((await service.reaches(dead.messageId, "DEAD_LETTER")).deliveryFailureCount).toBe(4);
    expect(target.receipts().map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4]);
    target.answerWith(status(204));
    await reschedule(dead.messageId, inMs(0));
    expect(await service.reaches(dead.messageId, "DELIVERED")).toMatchObject({
      deliveryFailureCount: 4,
      deadLetterTime: null,
    });
  });

  test("a CANCELLED message", async () => {
    const target = await service.target();
    const scheduled = await target.schedule({ deliveryTime: farAway });
    await cancel(scheduled.messageId);
    const { status: code, body } = await reschedule(scheduled.messageId, farAway);
    expect(code).toBe(200);
    expectMessage(body, scheduled);
    await reschedule(scheduled.messageId, inMs(0));
    await service.reaches(scheduled.messageId, "DELIVERED");
  });
});

describe("a call that a state does not allow changes nothing", () => {
  test("DELIVERED: reschedule is E-DI-5004, cancel is E-DI-5003", async () => {
    const target = await service.target();
    const { messageId } = await target.schedule();
    const delivered = await service.reaches(messageId, "DELIVERED");
    expectRefusal(await reschedule(messageId, farAway), 400, { code: "E-DI-5004" });
    expectRefusal(await cancel(messageId), 400, { code: "E-DI-5003" });
    expect(await get(messageId)).toStrictEqual(delivered);
  });

  test("DEAD_LETTER: cancel is E-DI-5003", async () => {
    const [dead] = await deadLetter();
    expectRefusal(await cancel(dead.messageId), 400, { code: "E-DI-5003" });
    expect(await get(dead.messageId)).toStrictEqual(dead);
  });

  test("CANCELLED: cancel is E-DI-5003", async () => {
    const target = await service.target();
    const { messageId } = await target.schedule({ deliveryTime: farAway });
    const { body: cancelled } = await cancel(messageId);
    expectRefusal(await cancel(messageId), 400, { code: "E-DI-5003" });
    expect(await get(messageId)).toStrictEqual(cancelled);
  });

  test("one of many concurrent cancels takes effect", async () => {
    const target = await service.target();
    const { messageId } = await target.schedule({ deliveryTime: farAway });
    const answers = await Promise.all(Array.from({ length: 10 }, () => cancel(messageId)));
    expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array(9).fill(400),
    ]);
  });
});
