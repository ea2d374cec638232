import { expect, test } from "vitest";
import { expectRefusal } from "../support/expectations.ts";
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
  const { body } = await service.api("GET", `${path}/attempts`);
  expect(body.attempts).toMatchObject([{ outcome: "ADDRESS_REFUSED", statusCode: null }]);
  expect(service.receiver.receipts).toEqual([]);
}

test("loopback is refused unless the operator allows it, by name at the latest when it is connected to", async () => {
  const service = await startService(elsewhere);
  for (const url of ["http://127.0.0.1:8080/", "http://127.1/", "http://[::ffff:127.0.0.1]/"]) {
    const answer = await service.api("POST", "/v1/targets", { body: { url } });
    expectRefusal(answer, 400, { code: "E-DI-3005", field: "url" });
  }
  const allowed = { url: "http://192.0.2.7/" };
  expect((await service.api("POST", "/v1/targets", { body: allowed })).status).toBe(200);

  const url = service.receiver.url.replace("127.0.0.1", "localhost");
  const created = await service.api("POST", "/v1/targets", {
    body: { targetId: "t", url, retryPolicy },
  });
  if (created.status !== 200)
    return expectRefusal(created, 400, { code: "E-DI-3005", field: "url" });
  await expectRefusedAtOnce(service, await scheduleAt(service, "2020-01-01T00:00:00Z"));
});

test("an address that is no longer allowed dead-letters at once, without a request", async () => {
  const service = await startService();
  await addTarget(service, { retryPolicy });
  await service.server.stop();
  const again = await service.restart(elsewhere);
  await expectRefusedAtOnce(again, await scheduleAt(again, "2020-01-01T00:00:00Z"));
});
