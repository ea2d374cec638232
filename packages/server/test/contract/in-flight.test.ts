import { describe, expect, test } from "vitest";
import { inMs } from "../support/api.ts";
import type { ApiAnswer } from "../support/api.ts";
import { anyInstant, expectMessage, expectRefusal } from "../support/expectations.ts";
import { farAway, held, sharedService, status } from "../support/shared-service.ts";
import type { ScriptedTarget } from "../support/shared-service.ts";

/** Long enough to get every outcome, however busy the machine is. */
const service = sharedService({ args: ["--cancel-wait", "60s"] });
/** For the tests of what happens at the bound. */
const waitMs = 400;
const hurried = sharedService({ args: ["--cancel-wait", `${waitMs}ms`] });

type Message = ApiAnswer["body"];
const get = (messageId: string, at = service): Promise<Message> =>
  at.ok("GET", `/v1/messages/${messageId}`);
const cancel = (messageId: string, at = service) =>
  at.api("POST", `/v1/messages/${messageId}/cancel`);
const reschedule = (messageId: string, deliveryTime: string, at = service) =>
  at.api("POST", `/v1/messages/${messageId}/reschedule`, { body: { deliveryTime } });

interface InFlight {
  readonly target: ScriptedTarget;
  readonly message: Message;
  answer(code: number): void;
}

/** A message whose attempt has reached the target and waits for its answer. */
async function inFlight(maxAttempts = 5, at = service, delayMs = 10): Promise<InFlight> {
  const retryPolicy = { maxAttempts, backoff: { kind: "list", delaysMs: [delayMs] } };
  const target = await at.target({ retryPolicy });
  const requests = held();
  target.answerWith(requests.answer);
  const message = await target.schedule();
  const response = await requests.next();
  return { target, message, answer: (code) => void response.writeHead(code).end() };
}

/** Whether the call is still open after another call was answered. */
async function stillOpen(call: Promise<unknown>, messageId: string): Promise<boolean> {
  let open = true;
  void call.then(() => (open = false));
  await get(messageId);
  return open;
}

/** Resolves when a message scheduled after everything else has arrived. Nothing else arrived before it. */
async function expectNoMoreThan(target: ScriptedTarget, count: number): Promise<void> {
  target.answerWith(status(204));
  const { messageId } = await target.schedule({ deliveryTime: inMs(150) });
  const receipts = await target.received(count + 1);
  expect(receipts.at(-1)!.messageId).toBe(messageId);
  expect(receipts).toHaveLength(count + 1);
}

test("while an attempt is in flight the message is SCHEDULED", async () => {
  const { message, answer } = await inFlight();
  expect(await get(message.messageId)).toStrictEqual(message);
  answer(204);
});

describe("cancel while an attempt is in flight", () => {
  test("it fails → cancelled, with the failure on record, and no attempt follows", async () => {
    const { target, message, answer } = await inFlight();
    const call = cancel(message.messageId);
    expect(await stillOpen(call, message.messageId)).toBe(true);
    answer(500);
    const { status: code, body } = await call;
    expect(code).toBe(200);
    expectMessage(body, {
      ...message,
      state: "CANCELLED",
      deliveryFailureCount: 1,
      nextDeliveryTime: null,
      lastDeliveryTime: anyInstant,
      cancellationTime: anyInstant,
      expirationTime: anyInstant,
    });
    await expectNoMoreThan(target, 1);
    expect(await get(message.messageId)).toStrictEqual(body);
    const { attempts } = await service.ok("GET", `/v1/messages/${message.messageId}/attempts`);
    expect(attempts).toMatchObject([{ number: 1, statusCode: 500 }]);
  });

  test("the last attempt fails → cancelled or refused, but never both", async () => {
    const { message, answer } = await inFlight(1);
    const call = cancel(message.messageId);
    answer(500);
    const { status: code } = await call;
    const { state } = await get(message.messageId);
    expect([code, state]).toEqual(code === 200 ? [200, "CANCELLED"] : [400, "DEAD_LETTER"]);
  });

  test("it delivers → E-DI-5003", async () => {
    const { message, answer } = await inFlight();
    const call = cancel(message.messageId);
    expect(await stillOpen(call, message.messageId)).toBe(true);
    answer(204);
    expectRefusal(await call, 400, { code: "E-DI-5003" });
    expect((await get(message.messageId)).state).toBe("DELIVERED");
  });

  test("it is unresolved at the bound → E-DI-5003, nothing changed", async () => {
    const { message, answer } = await inFlight(5, hurried);
    const before = Date.now();
    expectRefusal(await cancel(message.messageId, hurried), 400, { code: "E-DI-5003" });
    expect(Date.now() - before).toBeGreaterThanOrEqual(waitMs);
    expect(await get(message.messageId, hurried)).toStrictEqual(message);
    answer(204);
    await hurried.reaches(message.messageId, "DELIVERED");
  });

  test("after a refusal the message is retried as if there had been no cancel", async () => {
    const { target, message, answer } = await inFlight(5, hurried);
    expectRefusal(await cancel(message.messageId, hurried), 400, { code: "E-DI-5003" });
    target.answerWith(status(204));
    answer(500);
    await hurried.reaches(message.messageId, "DELIVERED");
    expect(target.receipts().map(({ attempt }) => attempt)).toEqual([1, 2]);
  });
});

describe("reschedule while an attempt is in flight", () => {
  test("it fails → rescheduled, with the failure on record, and no attempt before the new time", async () => {
    const { target, message, answer } = await inFlight();
    const call = reschedule(message.messageId, farAway);
    expect(await stillOpen(call, message.messageId)).toBe(true);
    answer(500);
    const { status: code, body } = await call;
    expect(code).toBe(200);
    expectMessage(body, {
      ...message,
      deliveryFailureCount: 1,
      nextDeliveryTime: farAway,
      lastDeliveryTime: anyInstant,
    });
    await expectNoMoreThan(target, 1);
    expect(await get(message.messageId)).toStrictEqual(body);
  });

  test("the last attempt fails → rescheduled too, as a dead letter may be", async () => {
    const { message, answer } = await inFlight(1);
    const call = reschedule(message.messageId, farAway);
    answer(500);
    const { status: code, body } = await call;
    expect(code).toBe(200);
    expect(body).toMatchObject({
      state: "SCHEDULED",
      nextDeliveryTime: farAway,
      deadLetterTime: null,
    });
    expect(await get(message.messageId)).toStrictEqual(body);
  });

  test("it delivers → E-DI-5004", async () => {
    const { message, answer } = await inFlight();
    const call = reschedule(message.messageId, farAway);
    expect(await stillOpen(call, message.messageId)).toBe(true);
    answer(204);
    expectRefusal(await call, 400, { code: "E-DI-5004" });
    expect((await get(message.messageId)).state).toBe("DELIVERED");
  });

  test("it is unresolved at the bound → E-DI-5006 with 409, nothing changed", async () => {
    const { message, answer } = await inFlight(5, hurried);
    const before = Date.now();
    expectRefusal(await reschedule(message.messageId, farAway, hurried), 409, {
      code: "E-DI-5006",
    });
    expect(Date.now() - before).toBeGreaterThanOrEqual(waitMs);
    expect(await get(message.messageId, hurried)).toStrictEqual(message);
    answer(204);
    await hurried.reaches(message.messageId, "DELIVERED");
  });
});

test("a due message that waits for its attempt is cancelled or rescheduled at once", async () => {
  const target = await service.target({ maxConcurrency: 1 });
  const requests = held();
  target.answerWith(requests.answer);
  const first = await target.schedule();
  const response = await requests.next();
  const second = await target.schedule();
  const third = await target.schedule();
  expect((await cancel(second.messageId)).body.state).toBe("CANCELLED");
  expect((await reschedule(third.messageId, farAway)).body.nextDeliveryTime).toBe(farAway);
  response.writeHead(204).end();
  await service.reaches(first.messageId, "DELIVERED");
  await expectNoMoreThan(target, 1);
});

test("a cancel and a reschedule that wait for the same attempt leave one history", async () => {
  // No other attempt begins, whenever the calls arrive.
  const { message, answer } = await inFlight(5, service, 3_600_000);
  const calls = Promise.all([cancel(message.messageId), reschedule(message.messageId, farAway)]);
  answer(500);
  const [cancelled, moved] = await calls;
  const now = await get(message.messageId);
  // A reschedule is allowed before and after a cancel, so it always takes effect. The cancel came before or
  // after it.
  expect(moved.status).toBe(200);
  expect(cancelled.status).toBe(200);
  expect(["SCHEDULED", "CANCELLED"]).toContain(now.state);
  expect(now).toStrictEqual(now.state === "CANCELLED" ? cancelled.body : moved.body);
  expect(now.deliveryFailureCount).toBe(1);
});
