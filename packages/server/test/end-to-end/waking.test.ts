import { expect, test } from "vitest";
import { inMs } from "../support/api.ts";
import { addTarget, scheduleAt, services } from "../support/service.ts";

const startService = services();

test("a free slot goes to whoever can use it, past targets that were paused while they waited", async () => {
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

test("a rate limit that is raised holds at once", async () => {
  const service = await startService();
  await addTarget(service, { rateLimit: { max: 1, intervalMs: 3_600_000 } });
  await scheduleAt(service, inMs(0));
  await scheduleAt(service, inMs(0));
  await service.receiver.received(1);
  await service.api("PATCH", "/v1/targets/t", {
    body: { rateLimit: { max: 1_000, intervalMs: 1_000 } },
  });
  expect(await service.receiver.received(2)).toHaveLength(2);
});
