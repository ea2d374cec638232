import { expect, test } from "vitest";
import { inMs } from "../support/api.ts";
import { addTarget, scheduleAt, services } from "../support/service.ts";

const startService = services();

test("messages arrive at their own instants to the millisecond, and none early", async () => {
  const service = await startService();
  await addTarget(service);
  const start = Date.now() + 500;
  const dueAt = new Map<string, number>();
  for (let index = 0; index < 50; index++) {
    const due = start + index * 10;
    dueAt.set(await scheduleAt(service, new Date(due).toISOString()), due);
  }
  const receipts = await service.receiver.received(50);
  const lateness = receipts.map((receipt) => receipt.at - dueAt.get(receipt.messageId)!);
  expect(Math.min(...lateness)).toBeGreaterThanOrEqual(0);
  expect(new Set(receipts.map((receipt) => receipt.messageId)).size).toBe(50);
});

test("the engine wakes for a message that is rescheduled to an earlier time", async () => {
  const service = await startService();
  await addTarget(service);
  const messageId = await scheduleAt(service, "9000-01-01T00:00:00Z");
  const moved = await service.api("POST", `/v1/messages/${messageId}/reschedule`, {
    body: { deliveryTime: inMs(100) },
  });
  expect(moved.status).toBe(200);
  const [receipt] = await service.receiver.received(1);
  expect(receipt?.messageId).toBe(messageId);
  expect(receipt!.at).toBeGreaterThanOrEqual(Date.parse(moved.body.nextDeliveryTime));
});

test("a message to a failing target is retried, then becomes a dead letter with every attempt on record", async () => {
  const service = await startService();
  await addTarget(service);
  service.receiver.answerWith((_, response) => response.writeHead(500).end("broken"));
  const messageId = await scheduleAt(service, inMs(0));
  await expect
    .poll(async () => (await service.api("GET", `/v1/messages/${messageId}`)).body.state)
    .toBe("DEAD_LETTER");
  const { body } = await service.api("GET", `/v1/messages/${messageId}/attempts`);
  expect(body.attempts).toHaveLength(3);
  expect(body.attempts[0]).toMatchObject({
    number: 1,
    outcome: "BAD_STATUS",
    statusCode: 500,
    response: "broken",
  });
  expect(service.receiver.receipts.map((receipt) => receipt.attempt)).toEqual([1, 2, 3]);
  expect(new Set(service.receiver.receipts.map((receipt) => receipt.messageId)).size).toBe(1);
});

test("pause holds messages back, resume sends them", async () => {
  const service = await startService();
  await addTarget(service);
  await addTarget(service, { targetId: "u", path: "/other" });
  await service.api("POST", "/v1/targets/t/pause");
  const held = await scheduleAt(service, inMs(0));
  await scheduleAt(service, inMs(200), { targetId: "u" });
  await service.receiver.received(1, (receipt) => receipt.path === "/other");
  expect(service.receiver.receipts).toHaveLength(1);
  await service.api("POST", "/v1/targets/t/resume");
  const [receipt] = await service.receiver.received(1, (each) => each.messageId === held);
  expect(receipt?.attempt).toBe(1);
});

test("a target's concurrency is used in full and never exceeded", async () => {
  const service = await startService();
  await addTarget(service, { maxConcurrency: 3 });
  let running = 0;
  let most = 0;
  service.receiver.answerWith((_, response) => {
    most = Math.max(most, ++running);
    setTimeout(() => {
      running--;
      response.writeHead(204).end();
    }, 30);
  });
  const due = inMs(0);
  await service.api("POST", "/v1/messages/batch", {
    body: {
      messages: Array.from({ length: 30 }, () => ({
        targetId: "t",
        deliveryTime: due,
        payload: "",
      })),
    },
  });
  await service.receiver.received(30);
  expect(most).toBe(3);
});

test("a rate limit spaces attempts out", async () => {
  const service = await startService();
  await addTarget(service, { rateLimit: { max: 5, intervalMs: 500 } });
  const due = inMs(0);
  for (let index = 0; index < 12; index++) await scheduleAt(service, due);
  const receipts = await service.receiver.received(12);
  // A burst of five, then one every 100 ms: the last of twelve comes 700 ms after the first.
  expect(receipts.at(-1)!.at - receipts[0]!.at).toBeGreaterThanOrEqual(600);
});

test("a change of the target's address applies to the next attempt", async () => {
  const service = await startService();
  await addTarget(service, { path: "/old" });
  await scheduleAt(service, inMs(0));
  await service.receiver.received(1);
  const url = `${service.receiver.url}/new`;
  expect((await service.api("PATCH", "/v1/targets/t", { body: { url } })).status).toBe(200);
  await scheduleAt(service, inMs(0));
  const [, second] = await service.receiver.received(2);
  expect(second?.path).toBe("/new");
});
