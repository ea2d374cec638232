import { describe, expect, test } from "vitest";
import { commonService } from "../support/common-service.ts";
import { anyInstant } from "../support/expectations.ts";
import { farAway, status } from "../support/shared-service.ts";

const service = commonService();

const attemptsOf = (messageId: string) => service.ok("GET", `/v1/messages/${messageId}/attempts`);

test("a message that was never attempted has none", async () => {
  const target = await service.target();
  const { messageId } = await target.schedule({ deliveryTime: farAway });
  expect(await attemptsOf(messageId)).toStrictEqual({ messageId, attempts: [] });
});

test("every attempt is on record: number, start, end, outcome, status, error, response", async () => {
  const retryPolicy = { maxAttempts: 4, backoff: { kind: "list", delaysMs: [10] } };
  const target = await service.target({ retryPolicy });
  target.answerWith((receipt, response) => {
    if (receipt.attempt === 1) response.writeHead(500).end("out of order");
    else if (receipt.attempt === 2) response.socket?.destroy();
    else response.writeHead(201).end("thanks");
  });
  const { messageId } = await target.schedule();
  const message = await service.reaches(messageId, "DELIVERED");
  const { attempts, ...rest } = await attemptsOf(messageId);
  expect(rest).toStrictEqual({ messageId });
  expect(attempts).toStrictEqual([
    {
      number: 1,
      startTime: anyInstant,
      endTime: anyInstant,
      outcome: "BAD_STATUS",
      statusCode: 500,
      error: expect.stringMatching(/./),
      response: "out of order",
    },
    {
      number: 2,
      startTime: anyInstant,
      endTime: anyInstant,
      outcome: "CONNECTION_FAILED",
      statusCode: null,
      error: expect.stringMatching(/./),
      response: null,
    },
    {
      number: 3,
      startTime: anyInstant,
      endTime: anyInstant,
      outcome: "DELIVERED",
      statusCode: 201,
      error: null,
      response: "thanks",
    },
  ]);
  const times = attempts.flatMap((attempt: { startTime: string; endTime: string }) => [
    attempt.startTime,
    attempt.endTime,
  ]);
  expect(times).toEqual(times.toSorted());
  expect(message.lastDeliveryTime).toBe(attempts[2].startTime);
  expect(message.deliveryFailureCount).toBe(2);
});

test("attempts before a reschedule stay on record, and the numbers continue", async () => {
  const target = await service.target({ retryPolicy: { maxAttempts: 1 } });
  target.answerWith(status(500));
  const { messageId } = await target.schedule();
  await service.reaches(messageId, "DEAD_LETTER");
  target.answerWith(status(200));
  const body = { deliveryTime: "2020-01-01T00:00:00Z" };
  await service.ok("POST", `/v1/messages/${messageId}/reschedule`, { body });
  await service.reaches(messageId, "DELIVERED");
  const { attempts } = await attemptsOf(messageId);
  expect(attempts).toMatchObject([
    { number: 1, outcome: "BAD_STATUS" },
    { number: 2, outcome: "DELIVERED" },
  ]);
});

describe("the excerpt of the response", () => {
  test("is bounded, and the service does not wait for the rest", async () => {
    const target = await service.target();
    target.answerWith((_, response) => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && response.write("x".repeat(65_536)));
      };
      response.on("drain", more);
      more();
    });
    const { messageId } = await target.schedule();
    await service.reaches(messageId, "DELIVERED");
    const { attempts } = await attemptsOf(messageId);
    expect(attempts[0].response).toMatch(/^x+$/);
    expect(attempts[0].response.length).toBeLessThanOrEqual(16_384);
  });

  test("is shown as text, whatever the bytes are", async () => {
    const target = await service.target();
    const answer = Buffer.from([0, 0xff, 0x22, 0xf0, 0x9f, 0x98]);
    target.answerWith((_, response) => void response.writeHead(200).end(answer));
    const { messageId } = await target.schedule();
    await service.reaches(messageId, "DELIVERED");
    const { attempts } = await attemptsOf(messageId);
    expect(attempts[0].response).toMatch(/"/);
  });
});
