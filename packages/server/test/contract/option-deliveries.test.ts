import { describe, expect, test } from "vitest";
import { anyInstant, expectMessage, expectRefusal } from "../support/expectations.ts";
import { farAway, held, status } from "../support/shared-service.ts";
import { verifyWebhook } from "../support/verify-webhook.ts";
import { onBothStores } from "./support/on-both-stores.ts";
import { refusedBounds } from "./support/refused-options.ts";

const hour = 3_600_000;
const later = (time: string, ms: number): string => new Date(Date.parse(time) + ms).toISOString();
const soon = { deliveryTime: undefined, delayMs: 0 };
const often = { maxAttempts: 100, backoff: { kind: "list", delaysMs: [30] } };

onBothStores((service) => {
  const attemptsOf = async (messageId: string) =>
    (await service.ok("GET", `/v1/messages/${messageId}/attempts`)).attempts;
  const reschedule = (messageId: string, body: object) =>
    service.api("POST", `/v1/messages/${messageId}/reschedule`, { body });

  describe("an attempt", () => {
    test("has the message's headers besides the target's, and instead of those of the same name", async () => {
      const target = await service.target({
        headers: { "X-Shop": "berlin", "x-kept": "kept", "User-Agent": "target" },
        contentType: "application/json",
      });
      await target.schedule({
        headers: { "x-sHOP": "bonn", "x-own": "own", "user-agent": "message" },
        contentType: "application/xml; charset=utf-8",
      });
      const [receipt] = await target.received(1);
      expect(receipt!.headers).toMatchObject({
        "x-shop": "bonn",
        "x-kept": "kept",
        "x-own": "own",
        "user-agent": "message",
        "content-type": "application/xml; charset=utf-8",
        "postdate-attempt": "1",
      });
      verifyWebhook(target.secret, receipt!);
      await target.schedule();
      const [, plain] = await target.received(2);
      expect(plain!.headers).toMatchObject({
        "x-shop": "berlin",
        "user-agent": "target",
        "content-type": "application/json",
      });
      expect(plain!.headers).not.toHaveProperty("x-own");
    });

    test("has the message's headers also when it is a retry, and after a reschedule", async () => {
      const target = await service.target();
      target.answerWith(status(503));
      const { messageId } = await target.schedule({ headers: { "x-own": "own" } });
      await service.reaches(messageId, "DEAD_LETTER");
      target.answerWith(status(204));
      await reschedule(messageId, { delayMs: 0 });
      const receipts = await target.received(3);
      expect(receipts.map(({ headers }) => headers["x-own"])).toEqual(["own", "own", "own"]);
    });

    test("ends at the message's timeout, not at the target's", async () => {
      const target = await service.target({ timeoutMs: 300_000 });
      target.answerWith(() => {});
      const { messageId } = await target.schedule({
        timeoutMs: 100,
        retryPolicy: { maxAttempts: 1 },
      });
      await service.reaches(messageId, "DEAD_LETTER");
      expect(await attemptsOf(messageId)).toMatchObject([
        { outcome: "TIMEOUT", error: "the target did not answer within 100 ms" },
      ]);
    });

    test("fails by the message's retry policy alone", async () => {
      const target = await service.target({
        retryPolicy: { maxAttempts: 2, finalStatuses: [404], backoff: often.backoff },
      });
      target.answerWith(status(404));
      const retryPolicy = { ...often, maxAttempts: 4 };
      const { messageId } = await target.schedule({ retryPolicy });
      const ended = await service.reaches(messageId, "DEAD_LETTER");
      expect(ended).toMatchObject({
        deliveryFailureCount: 4,
        deadLetterReason: "ATTEMPTS_EXHAUSTED",
      });
      const plain = await target.schedule();
      const final = await service.reaches(plain.messageId, "DEAD_LETTER");
      expect(final).toMatchObject({ deliveryFailureCount: 1, deadLetterReason: "FINAL_ANSWER" });
    });
  });

  describe("a dead letter says why", () => {
    test.each([
      ["ATTEMPTS_EXHAUSTED", 500, {}],
      ["FINAL_ANSWER", 410, {}],
      ["FINAL_ANSWER", 418, { finalStatuses: [418] }],
    ])("%s, after %i", async (deadLetterReason, code, policy) => {
      const target = await service.target({ retryPolicy: { maxAttempts: 1, ...policy } });
      target.answerWith(status(code));
      const { messageId } = await target.schedule();
      const ended = await service.reaches(messageId, "DEAD_LETTER");
      expectMessage(ended, {
        state: "DEAD_LETTER",
        deliveryFailureCount: 1,
        lastDeliveryTime: anyInstant,
        deadLetterTime: anyInstant,
        expirationTime: anyInstant,
        deadLetterReason,
      });
      const list = await service.ok("GET", `/v1/targets/${target.targetId}/dead-letters`);
      expect(list.items).toStrictEqual([ended]);
      const { body } = await reschedule(messageId, { deliveryTime: farAway });
      expect(body).not.toHaveProperty("deadLetterReason");
      const cancelled = await service.ok("POST", `/v1/messages/${messageId}/cancel`);
      expect(cancelled).not.toHaveProperty("deadLetterReason");
    });
  });

  describe("after its notAfter a message is a dead letter", () => {
    test("while its target is paused, without an attempt", async () => {
      const target = await service.target({ paused: true });
      const { messageId, notAfter } = await target.schedule({ ...soon, notAfterMs: 200 });
      const plain = await target.schedule();
      const ended = await service.reaches(messageId, "DEAD_LETTER");
      expectMessage(ended, {
        state: "DEAD_LETTER",
        deadLetterTime: anyInstant,
        expirationTime: anyInstant,
        notAfter,
        notAfterMs: 200,
        deadLetterReason: "NOT_AFTER",
      });
      expect(Date.parse(ended.deadLetterTime)).toBeGreaterThanOrEqual(Date.parse(notAfter));
      expect(await attemptsOf(messageId)).toEqual([]);
      await service.ok("POST", `/v1/targets/${target.targetId}/resume`);
      const [receipt] = await target.received(1);
      expect(receipt!.messageId).toBe(plain.messageId);
    });

    test("while its target hangs", async () => {
      const target = await service.target({ maxConcurrency: 1 });
      const { answer, next } = held();
      target.answerWith(answer);
      const hanging = await target.schedule();
      const open = await next();
      const { messageId } = await target.schedule({ ...soon, notAfterMs: 200 });
      const ended = await service.reaches(messageId, "DEAD_LETTER");
      expect(ended.deadLetterReason).toBe("NOT_AFTER");
      open.writeHead(204).end();
      await service.reaches(hanging.messageId, "DELIVERED");
      expect(await attemptsOf(messageId)).toEqual([]);
      expect(target.receipts().map((receipt) => receipt.messageId)).toEqual([hanging.messageId]);
    });

    test("at once if its next attempt would come later", async () => {
      const target = await service.target();
      target.answerWith(status(503));
      const retryPolicy = { backoff: { kind: "list", delaysMs: [2 * hour] } };
      const message = await target.schedule({ ...soon, notAfterMs: hour, retryPolicy });
      const ended = await service.reaches(message.messageId, "DEAD_LETTER");
      expect(ended).toMatchObject({ deadLetterReason: "NOT_AFTER", deliveryFailureCount: 1 });
      expect(Date.parse(ended.deadLetterTime)).toBeLessThan(Date.parse(message.notAfter));
    });

    test("also if the target asks for more time", async () => {
      const target = await service.target();
      target.answerWith(status(503, { "retry-after": "3600" }));
      const message = await target.schedule({ ...soon, notAfterMs: hour / 2, retryPolicy: often });
      const ended = await service.reaches(message.messageId, "DEAD_LETTER");
      expect(ended).toMatchObject({ deadLetterReason: "NOT_AFTER", deliveryFailureCount: 1 });
    });

    test("though its policy allows more attempts, of which none starts too late", async () => {
      const target = await service.target();
      target.answerWith(status(503));
      const message = await target.schedule({ ...soon, notAfterMs: 300, retryPolicy: often });
      const ended = await service.reaches(message.messageId, "DEAD_LETTER");
      expect(ended.deadLetterReason).toBe("NOT_AFTER");
      for (const { startTime } of await attemptsOf(message.messageId)) {
        expect(Date.parse(startTime)).toBeLessThan(Date.parse(message.notAfter));
      }
    });

    test("if an attempt that began before ends as a failure, and delivered if it does not", async () => {
      const target = await service.target({ maxConcurrency: 3 });
      const { answer, next } = held();
      target.answerWith(answer);
      const bound = { ...soon, notAfterMs: 2_000, retryPolicy: often };
      const first = await target.schedule(bound);
      const failing = await next();
      const second = await target.schedule(bound);
      const delivering = await next();
      // A third message shows that the bounds of both have come.
      await service.ok("PATCH", `/v1/targets/${target.targetId}`, { body: { paused: true } });
      const witness = await target.schedule(bound);
      await service.reaches(witness.messageId, "DEAD_LETTER");
      failing.writeHead(503).end();
      delivering.writeHead(204).end();
      const ended = await service.reaches(first.messageId, "DEAD_LETTER");
      expect(ended).toMatchObject({ deadLetterReason: "NOT_AFTER", deliveryFailureCount: 1 });
      await service.reaches(second.messageId, "DELIVERED");
    });
  });

  describe("a reschedule", () => {
    const bounded = async (change: object) => {
      const target = await service.target({ paused: true });
      return target.schedule({ deliveryTime: farAway, ...change });
    };

    test("from the bound on is refused, and changes nothing", async () => {
      const message = await bounded({ notAfter: later(farAway, hour) });
      for (const ms of [hour, 2 * hour]) {
        const answer = await reschedule(message.messageId, { deliveryTime: later(farAway, ms) });
        expectRefusal(answer, 400, { code: "E-DI-1001", field: "notAfter" });
        expect(answer.body.errors[0].message).toMatch(
          /earlier time.*later notAfter.*null for none/,
        );
      }
      expect(await service.ok("GET", `/v1/messages/${message.messageId}`)).toStrictEqual(message);
      const { body } = await reschedule(message.messageId, {
        deliveryTime: later(farAway, hour - 1),
      });
      expect(body).toStrictEqual({ ...message, nextDeliveryTime: later(farAway, hour - 1) });
    });

    test.each(refusedBounds)("refuses %s, and changes nothing", async (_, bound, field, says) => {
      const message = await bounded({ notAfterMs: hour });
      const answer = await reschedule(message.messageId, { deliveryTime: farAway, ...bound });
      expectRefusal(answer, 400, { code: "E-DI-1001", field });
      expect(answer.body.errors[0].message).toMatch(says);
      expect(await service.ok("GET", `/v1/messages/${message.messageId}`)).toStrictEqual(message);
    });

    test("brings a new bound, of either form, also to a message without one", async () => {
      const plain = await bounded({});
      const { notAfter, ...given } = (
        await reschedule(plain.messageId, { deliveryTime: farAway, notAfter: later(farAway, 5) })
      ).body;
      expect([given, notAfter]).toStrictEqual([plain, later(farAway, 5)]);
      const { body } = await reschedule(plain.messageId, {
        deliveryTime: later(farAway, hour),
        notAfterMs: 7,
      });
      expect(body).toMatchObject({ notAfter: later(farAway, hour + 7), notAfterMs: 7 });
    });

    test("removes the bound with null, and nothing else", async () => {
      const message = await bounded({ notAfterMs: hour, labels: { a: "b" } });
      const deliveryTime = later(farAway, 5 * hour);
      for (const none of [{ notAfter: null }, { notAfterMs: null }]) {
        const { body } = await reschedule(message.messageId, { deliveryTime, ...none });
        const { notAfter: _, notAfterMs: __, ...others } = message;
        expect(body).toStrictEqual({ ...others, nextDeliveryTime: deliveryTime });
      }
    });

    test("takes along a bound that was given after the delivery time", async () => {
      const { messageId } = await bounded({ notAfterMs: hour });
      const { body } = await reschedule(messageId, { deliveryTime: later(farAway, 9 * hour) });
      expect(body).toMatchObject({ notAfter: later(farAway, 10 * hour), notAfterMs: hour });
    });

    test("of what ended by its bound needs a new one, unless the bound moves along", async () => {
      const target = await service.target({ paused: true });
      const moving = await target.schedule({ ...soon, notAfterMs: 100 });
      const { notAfter } = moving;
      const fixed = await target.schedule({ ...soon, notAfter: later(notAfter, 1_000) });
      await service.reaches(moving.messageId, "DEAD_LETTER");
      await service.reaches(fixed.messageId, "DEAD_LETTER");
      const refused = await reschedule(fixed.messageId, { delayMs: 0 });
      expectRefusal(refused, 400, { code: "E-DI-1001", field: "notAfter" });
      await service.ok("POST", `/v1/targets/${target.targetId}/resume`);
      expect((await reschedule(fixed.messageId, { delayMs: 0, notAfter: null })).status).toBe(200);
      expect((await reschedule(moving.messageId, { delayMs: 0, notAfterMs: hour })).status).toBe(
        200,
      );
      const delivered = await service.reaches(fixed.messageId, "DELIVERED");
      expect(delivered).not.toHaveProperty("deadLetterReason");
      await service.reaches(moving.messageId, "DELIVERED");
    });
  });
});
