import type { Attempt, Message, Target, TargetWithSecret } from "@postdate/client";

export const messageId = "msg_01kq3v9x2eb8fsm4t7w5ch6d0n";

export function wireMessage(changes: Partial<Message> = {}): Message {
  return {
    messageId,
    targetId: "billing",
    schedulingTime: "2026-11-14T09:29:55.000Z",
    originalDeliveryTime: "2026-11-14T09:30:00.000Z",
    state: "SCHEDULED",
    deliveryFailureCount: 0,
    nextDeliveryTime: "2026-11-14T09:30:00.000Z",
    lastDeliveryTime: null,
    deadLetterTime: null,
    cancellationTime: null,
    expirationTime: null,
    ...changes,
  };
}

export function wireTarget(changes: Partial<TargetWithSecret> = {}): Target {
  return {
    targetId: "billing",
    kind: "webhook",
    url: "https://example.com/hooks",
    headers: { authorization: "Bearer hidden" },
    contentType: "text/plain; charset=utf-8",
    timeoutMs: 15_000,
    retryPolicy: {
      maxAttempts: 10,
      backoff: { kind: "list", delaysMs: [5_000, 300_000], jitter: 0.1 },
      finalStatuses: [],
      maxRetryAfterMs: 3_600_000,
    },
    maxConcurrency: 50,
    rateLimit: null,
    paused: false,
    failingAfter: { attempts: 10, ms: 60_000 },
    creationTime: "2026-11-14T09:00:00.000Z",
    updateTime: "2026-11-14T09:00:00.000Z",
    ...changes,
  };
}

export function wireAttempt(changes: Partial<Attempt> = {}): Attempt {
  return {
    number: 1,
    startTime: "2026-11-14T09:30:00.001Z",
    endTime: "2026-11-14T09:30:00.013Z",
    outcome: "DELIVERED",
    statusCode: 200,
    error: null,
    response: "ok",
    ...changes,
  };
}
