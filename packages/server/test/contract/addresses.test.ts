import { expect, test } from "vitest";
import { addTarget, scheduleAt, services } from "../support/service.ts";
import type { ServiceUnderTest } from "../support/service.ts";
import { patiently } from "../support/shared-service.ts";

const startService = services();
const elsewhere = { allowCidr: "192.0.2.0/24" };
const retryPolicy = { maxAttempts: 5, backoff: { kind: "list", delaysMs: [10] } };

async function expectRefusedAtOnce(service: ServiceUnderTest, messageId: string): Promise<void> {
  const path = `/v1/messages/${messageId}`;
  await expect
    .poll(async () => (await service.api("GET", path)).body.state, patiently)
    .toBe("DEAD_LETTER");
  expect((await service.api("GET", path)).body.deadLetterReason).toBe("ADDRESS_REFUSED");
  const { body } = await service.api("GET", `${path}/attempts`);
  expect(body.attempts).toMatchObject([{ outcome: "ADDRESS_REFUSED", statusCode: null }]);
  expect(service.receiver.receipts).toEqual([]);
}

test("a message to an address that is no longer allowed becomes a dead letter without a request", async () => {
  const service = await startService();
  await addTarget(service, { retryPolicy });
  await service.server.stop();
  const again = await service.restart(elsewhere);
  await expectRefusedAtOnce(again, await scheduleAt(again, "2020-01-01T00:00:00Z"));
});
