import { expect, test } from "vitest";
import { inMs } from "../support/api.ts";
import { addTarget, scheduleAt, services } from "../support/service.ts";

const startService = services();

test("a free slot skips targets that were paused while they waited", async () => {
  const service = await startService({ args: ["--max-in-flight", "1"] });
  const held = Promise.withResolvers<() => void>();
  service.receiver.answerWith((_, response) => held.resolve(() => response.writeHead(204).end()));
  await addTarget(service, { targetId: "holder" });
  await scheduleAt(service, inMs(0), { targetId: "holder" });
  const finish = await held.promise;
  const waiting = Array.from({ length: 12 }, (_, index) => `waiting-${index}`);
  for (const targetId of waiting) {
    await addTarget(service, { targetId });
    await scheduleAt(service, inMs(0), { targetId });
  }
  await addTarget(service, { targetId: "last" });
  const last = await scheduleAt(service, inMs(0), { targetId: "last" });
  for (const targetId of waiting) await service.api("POST", `/v1/targets/${targetId}/pause`);
  service.receiver.answerWith((_, response) => response.writeHead(204).end());
  finish();
  const [receipt] = await service.receiver.received(1, ({ messageId }) => messageId === last);
  expect(receipt?.attempt).toBe(1);
});

test("a single message goes before most of a spike that fell due just before it", async () => {
  const service = await startService();
  const spikes = Array.from({ length: 20 }, (_, index) => `spike-${index}`);
  for (const targetId of [...spikes, "other"]) await addTarget(service, { targetId });
  const dueAt = Date.now() + 3_000;
  const at = (time: number): string => new Date(time).toISOString();
  const spike = Array.from({ length: 1_000 }, (_, index) => ({
    targetId: spikes[index % spikes.length],
    deliveryTime: at(dueAt),
    payload: "one of many",
  }));
  for (const _ of [1, 2]) {
    const { status } = await service.api("POST", "/v1/messages/batch", {
      body: { messages: spike },
    });
    expect(status).toBe(200);
  }
  const single = await scheduleAt(service, at(dueAt + 1), { targetId: "other" });
  const receipts = await service.receiver.received(2_001);
  const before = receipts.findIndex(({ messageId }) => messageId === single);
  expect(before).toBeLessThan(300);
});
