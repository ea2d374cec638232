import { expect, test } from "vitest";
import { inMs } from "../support/api.ts";
import { startReceiver } from "../support/receiver.ts";
import { addTarget, scheduleAt, services } from "../support/service.ts";

const startService = services();

test("a target that hangs with 100,000 due messages delays another by at most 250 ms at p99", async () => {
  const service = await startService({ args: ["--log-level", "error"] });
  await using hanging = await startReceiver();
  hanging.answerWith(() => {});
  await addTarget(service, { targetId: "hanging", url: hanging.url });
  await addTarget(service, { targetId: "t" });

  const due = inMs(0);
  const messages = Array.from({ length: 1_000 }, () => ({
    targetId: "hanging",
    deliveryTime: due,
    payload: "x".repeat(200),
  }));
  for (let batch = 0; batch < 100; batch++) {
    const { status } = await service.api("POST", "/v1/messages/batch", { body: { messages } });
    expect(status).toBe(200);
  }
  await hanging.received(50);

  const start = Date.now() + 1_000;
  const dueAt = new Map<string, number>();
  for (let index = 0; index < 500; index++) {
    const at = start + index * 10;
    dueAt.set(await scheduleAt(service, new Date(at).toISOString()), at);
  }
  const receipts = await service.receiver.received(500);
  const late = receipts
    .map((receipt) => receipt.at - dueAt.get(receipt.messageId)!)
    .toSorted((a, b) => a - b);
  expect(late[0]).toBeGreaterThanOrEqual(0);
  expect(late[Math.floor(late.length * 0.99)]).toBeLessThanOrEqual(250);
  expect(hanging.receipts.length).toBeLessThan(1_000);
});
