import { expect, test } from "vitest";
import { inMs } from "../support/api.ts";
import { commonService } from "../support/common-service.ts";
import { status } from "../support/shared-service.ts";

const service = commonService();

test("messages arrive at their own instants to the millisecond, and none early", async () => {
  const target = await service.target();
  const start = Date.now() + 500;
  const dueAt = new Map<string, number>();
  for (let index = 0; index < 50; index++) {
    const due = start + index * 10;
    const { messageId } = await target.schedule({ deliveryTime: new Date(due).toISOString() });
    dueAt.set(messageId, due);
  }
  const receipts = await target.received(50);
  const lateness = receipts.map((receipt) => receipt.at - dueAt.get(receipt.messageId)!);
  expect(Math.min(...lateness)).toBeGreaterThanOrEqual(0);
  expect(new Set(receipts.map((receipt) => receipt.messageId)).size).toBe(50);
});

test("the engine wakes for a message that is rescheduled to an earlier time", async () => {
  const target = await service.target();
  const { messageId } = await target.schedule({ deliveryTime: "9000-01-01T00:00:00Z" });
  const moved = await service.api("POST", `/v1/messages/${messageId}/reschedule`, {
    body: { deliveryTime: inMs(100) },
  });
  expect(moved.status).toBe(200);
  const [receipt] = await target.received(1);
  expect(receipt?.messageId).toBe(messageId);
  expect(receipt!.at).toBeGreaterThanOrEqual(Date.parse(moved.body.nextDeliveryTime));
});

test("a message to a failing target is retried, then becomes a dead letter with every attempt on record", async () => {
  const target = await service.target({
    retryPolicy: { maxAttempts: 3, backoff: { kind: "list", delaysMs: [50] } },
  });
  target.answerWith(status(500, {}, "broken"));
  const { messageId } = await target.schedule({ deliveryTime: inMs(0) });
  await service.reaches(messageId, "DEAD_LETTER");
  const { body } = await service.api("GET", `/v1/messages/${messageId}/attempts`);
  expect(body.attempts).toHaveLength(3);
  expect(body.attempts[0]).toMatchObject({
    number: 1,
    outcome: "BAD_STATUS",
    statusCode: 500,
    response: "broken",
  });
  expect(target.receipts().map((receipt) => receipt.attempt)).toEqual([1, 2, 3]);
  expect(new Set(target.receipts().map((receipt) => receipt.messageId)).size).toBe(1);
});

test("pause holds messages back, resume sends them", async () => {
  const target = await service.target();
  const other = await service.target();
  await service.ok("POST", `/v1/targets/${target.targetId}/pause`);
  const held = await target.schedule({ deliveryTime: inMs(0) });
  await other.schedule({ deliveryTime: inMs(200) });
  await other.received(1);
  expect(target.receipts()).toEqual([]);
  await service.ok("POST", `/v1/targets/${target.targetId}/resume`);
  const [receipt] = await target.received(1);
  expect(receipt).toMatchObject({ messageId: held.messageId, attempt: 1 });
  expect(other.receipts()).toHaveLength(1);
});

test("a target's concurrency is used in full and never exceeded", async () => {
  const target = await service.target({ maxConcurrency: 3 });
  let running = 0;
  let most = 0;
  target.answerWith((_, response) => {
    most = Math.max(most, ++running);
    setTimeout(() => {
      running--;
      response.writeHead(204).end();
    }, 30);
  });
  const message = { targetId: target.targetId, deliveryTime: inMs(0), payload: "" };
  await service.ok("POST", "/v1/messages/batch", {
    body: { messages: Array.from({ length: 30 }, () => message) },
  });
  await target.received(30);
  expect(most).toBe(3);
});

test("a rate limit spaces attempts out", async () => {
  const target = await service.target({ rateLimit: { max: 5, intervalMs: 500 } });
  const deliveryTime = inMs(0);
  for (let index = 0; index < 12; index++) await target.schedule({ deliveryTime });
  const receipts = await target.received(12);
  // A burst of five, then one every 100 ms: the last of twelve comes 700 ms after the first.
  expect(receipts.at(-1)!.at - receipts[0]!.at).toBeGreaterThanOrEqual(600);
});

test("a change of the target's address applies to the next attempt", async () => {
  const target = await service.target();
  await target.schedule({ deliveryTime: inMs(0) });
  await target.received(1);
  const url = `${service.receiver.url}/new`;
  await service.ok("PATCH", `/v1/targets/${target.targetId}`, { body: { url } });
  const second = await target.schedule({ deliveryTime: inMs(0) });
  const [receipt] = await service.receiver.received(
    1,
    ({ messageId }) => messageId === second.messageId,
  );
  expect(receipt?.path).toBe("/new");
});

test("a raised rate limit applies at once", async () => {
  const target = await service.target({ rateLimit: { max: 1, intervalMs: 3_600_000 } });
  await target.schedule({ deliveryTime: inMs(0) });
  await target.schedule({ deliveryTime: inMs(0) });
  await target.received(1);
  await service.ok("PATCH", `/v1/targets/${target.targetId}`, {
    body: { rateLimit: { max: 1_000, intervalMs: 1_000 } },
  });
  expect(await target.received(2)).toHaveLength(2);
});
