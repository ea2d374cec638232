import { describe, expect, test } from "vitest";
import { commonService } from "../support/common-service.ts";
import { patiently, status } from "../support/shared-service.ts";

const service = commonService();
const hour = 3_600_000;

const attemptsOf = async (messageId: string) =>
  (await service.ok("GET", `/v1/messages/${messageId}/attempts`)).attempts;

describe("when a retry comes", () => {
  const backoffMs = hour;
  /** The planned delay between a first failure and the next attempt. */
  async function delayAfter(
    code: number,
    headers: Record<string, string>,
    policy: Readonly<Record<string, unknown>> = {},
  ): Promise<number> {
    const backoff = { kind: "list", delaysMs: [backoffMs] };
    const target = await service.target({ retryPolicy: { maxAttempts: 5, backoff, ...policy } });
    target.answerWith(status(code, headers));
    const { messageId } = await target.schedule();
    const read = () => service.ok("GET", `/v1/messages/${messageId}`);
    await expect.poll(async () => (await read()).deliveryFailureCount, patiently).toBe(1);
    const message = await read();
    return Date.parse(message.nextDeliveryTime) - Date.parse(message.lastDeliveryTime);
  }
  const expectDelay = async (delay: Promise<number>, ms: number): Promise<void> => {
    const delayMs = await delay;
    expect(delayMs).toBeGreaterThanOrEqual(ms - 60_000);
    expect(delayMs).toBeLessThan(ms + 60_000);
  };

  test("Retry-After on 429 and 503 is honoured", async () => {
    const policy = { maxRetryAfterMs: 5 * hour };
    await expectDelay(delayAfter(429, { "retry-after": "7200" }, policy), 2 * hour);
    await expectDelay(delayAfter(503, { "retry-after": "7200" }, policy), 2 * hour);
    const date = new Date(Date.now() + 3 * hour).toUTCString();
    await expectDelay(delayAfter(503, { "retry-after": date }, policy), 3 * hour);
  });

  test("Retry-After is limited by the policy's bound", async () => {
    const policy = { maxRetryAfterMs: 2 * hour };
    await expectDelay(delayAfter(429, { "retry-after": "999999999" }, policy), 2 * hour);
    const date = new Date(Date.now() + 30 * hour).toUTCString();
    await expectDelay(delayAfter(429, { "retry-after": date }, policy), 2 * hour);
  });

  test("Retry-After with another status, or unreadable, is ignored", async () => {
    const policy = { maxRetryAfterMs: 5 * hour };
    await expectDelay(delayAfter(500, { "retry-after": "7200" }, policy), backoffMs);
    await expectDelay(delayAfter(404, { "retry-after": "7200" }, policy), backoffMs);
    for (const value of ["soon", "-5", "1e4", ""]) {
      await expectDelay(delayAfter(503, { "retry-after": value }, policy), backoffMs);
    }
  });

  test("exponential backoff grows up to its bound", async () => {
    const backoff = { kind: "exponential", initialMs: 20, factor: 3, maxMs: 100, jitter: 0 };
    const target = await service.target({ retryPolicy: { maxAttempts: 5, backoff } });
    target.answerWith(status(500));
    const { messageId } = await target.schedule();
    await service.reaches(messageId, "DEAD_LETTER");
    const attempts = await attemptsOf(messageId);
    const gaps = attempts
      .slice(1)
      .map(
        (attempt: { startTime: string }, index: number) =>
          Date.parse(attempt.startTime) - Date.parse(attempts[index].endTime),
      );
    for (const [index, leastMs] of [20, 60, 100, 100].entries()) {
      expect(gaps[index]).toBeGreaterThanOrEqual(leastMs - 1);
    }
  });

  test("the default delays begin with five seconds, with jitter", async () => {
    const delayMs = await delayAfter(500, {}, { backoff: undefined, maxAttempts: undefined });
    expect(delayMs).toBeGreaterThanOrEqual(2_500);
    expect(delayMs).toBeLessThan(11_000);
  });
});
