import { describe, expect, test } from "vitest";
import type { ApiAnswer } from "../support/api.ts";
import { expectRefusal } from "../support/expectations.ts";
import { farAway, patiently, sharedService, status } from "../support/shared-service.ts";

const retentionMs = 1_000;
const service = sharedService({ args: ["--retention", "1s"] });

type Message = ApiAnswer["body"];

async function delivered(): Promise<Message> {
  const target = await service.target();
  return service.reaches((await target.schedule()).messageId, "DELIVERED");
}

async function deadLetter(): Promise<Message> {
  const target = await service.target({ retryPolicy: { maxAttempts: 1 } });
  target.answerWith(status(500));
  return service.reaches((await target.schedule()).messageId, "DEAD_LETTER");
}

async function cancelled(): Promise<Message> {
  const target = await service.target();
  const { messageId } = await target.schedule({ deliveryTime: farAway });
  return service.ok("POST", `/v1/messages/${messageId}/cancel`);
}

describe.each([
  ["DELIVERED", delivered, "lastDeliveryTime"],
  ["DEAD_LETTER", deadLetter, "deadLetterTime"],
  ["CANCELLED", cancelled, "cancellationTime"],
] as const)("%s", (_, reach, since) => {
  test("exists until its expirationTime, and then seems never to have existed", async () => {
    const message = await reach();
    const path = `/v1/messages/${message.messageId}`;
    const expiresAt = Date.parse(message.expirationTime);
    expect(expiresAt - Date.parse(message[since])).toBeGreaterThanOrEqual(retentionMs);
    expect(expiresAt - Date.parse(message[since])).toBeLessThan(retentionMs + 500);

    const seen: [asked: number, answered: number, status: number][] = [];
    await expect
      .poll(async () => {
        const asked = Date.now();
        const { status: code } = await service.api("GET", path);
        seen.push([asked, Date.now(), code]);
        return code;
      }, patiently)
      .toBe(404);
    for (const [asked, answered, code] of seen) {
      if (answered < expiresAt) expect(code).toBe(200);
      if (asked > expiresAt) expect(code).toBe(404);
    }

    for (const part of ["", "/payload", "/attempts"]) {
      const { status: code, text } = await service.api("GET", path + part);
      expect([part, code, text]).toEqual([part, 404, ""]);
    }
    expectRefusal(await service.api("POST", `${path}/cancel`), 400, { code: "E-DI-5001" });
    const moved = await service.api("POST", `${path}/reschedule`, {
      body: { deliveryTime: farAway },
    });
    expectRefusal(moved, 400, { code: "E-DI-5001" });
    const list = await service.ok("GET", `/v1/targets/${message.targetId}/dead-letters`);
    expect(list.items).toEqual([]);
  });
});

test("a message that was rescheduled in time stays", async () => {
  const message = await cancelled();
  const path = `/v1/messages/${message.messageId}`;
  const moved = await service.ok("POST", `${path}/reschedule`, { body: { deliveryTime: farAway } });
  const other = await cancelled();
  await expect
    .poll(
      async () => (await service.api("GET", `/v1/messages/${other.messageId}`)).status,
      patiently,
    )
    .toBe(404);
  expect(await service.ok("GET", path)).toStrictEqual(moved);
});

test("a scheduled message never expires, however long ago it was due", async () => {
  const target = await service.target({ paused: true });
  const message = await target.schedule({ deliveryTime: "0001-01-01T00:00:00Z" });
  const other = await cancelled();
  await expect
    .poll(
      async () => (await service.api("GET", `/v1/messages/${other.messageId}`)).status,
      patiently,
    )
    .toBe(404);
  expect(await service.ok("GET", `/v1/messages/${message.messageId}`)).toStrictEqual(message);
});
