import type { Instant, TrackedMessage } from "./message.ts";
import type { NextStep } from "./retry-policy.ts";

/**
 * The states of a message and all transitions between them.
 *
 *     schedule ──► SCHEDULED ──delivered──► DELIVERED
 *                  │ ▲  │ ▲ └──retry──┐
 *                  │ │  │ └───────────┘
 *              cancel│  └──dead-letter──► DEAD_LETTER
 *                  │ │                         │
 *                  │ └──────reschedule─────────┤
 *                  ▼                           │
 *              CANCELLED ──────reschedule──────┘
 *
 * Only SCHEDULED has a `nextDeliveryTime`. Only the other three have an `expirationTime`, at which the
 * message is removed. A DELIVERED message changes no more until it is removed.
 *
 * Each function takes a message and returns it after the transition, one version higher. None reads a
 * clock: the store says what time it is. `undefined` means that the state does not allow the transition.
 */

export interface NewMessage {
  readonly messageId: string;
  readonly targetId: string;
  readonly deliveryTime: Instant;
}

export function scheduled(draft: NewMessage, now: Instant): TrackedMessage {
  return {
    messageId: draft.messageId,
    targetId: draft.targetId,
    schedulingTime: now,
    originalDeliveryTime: draft.deliveryTime,
    state: "SCHEDULED",
    deliveryFailureCount: 0,
    nextDeliveryTime: draft.deliveryTime,
    lastDeliveryTime: null,
    deadLetterTime: null,
    cancellationTime: null,
    expirationTime: null,
    version: 1,
    planningTime: now,
    attemptCount: 0,
    attemptsThisRound: 0,
  };
}

export function cancelled(
  message: TrackedMessage,
  now: Instant,
  retentionMs: number,
): TrackedMessage | undefined {
  if (message.state !== "SCHEDULED") return undefined;
  return {
    ...message,
    state: "CANCELLED",
    cancellationTime: now,
    nextDeliveryTime: null,
    expirationTime: now + retentionMs,
    version: message.version + 1,
  };
}

export function rescheduled(
  message: TrackedMessage,
  deliveryTime: Instant,
  now: Instant,
): TrackedMessage | undefined {
  if (message.state === "DELIVERED") return undefined;
  return {
    ...message,
    state: "SCHEDULED",
    nextDeliveryTime: deliveryTime,
    planningTime: now,
    deadLetterTime: null,
    cancellationTime: null,
    expirationTime: null,
    attemptsThisRound: 0,
    version: message.version + 1,
  };
}

export interface AttemptEnd {
  readonly startTime: Instant;
  readonly next: NextStep;
}

/** The message after an attempt, once the next step is decided. */
export function attempted(
  message: TrackedMessage,
  { startTime, next }: AttemptEnd,
  now: Instant,
  retentionMs: number,
): TrackedMessage | undefined {
  if (message.state !== "SCHEDULED") return undefined;
  const counted = {
    ...message,
    lastDeliveryTime: startTime,
    attemptCount: message.attemptCount + 1,
    attemptsThisRound: message.attemptsThisRound + 1,
    version: message.version + 1,
  };
  if (next.kind === "delivered") {
    return {
      ...counted,
      state: "DELIVERED",
      nextDeliveryTime: null,
      expirationTime: now + retentionMs,
    };
  }
  const failed = { ...counted, deliveryFailureCount: message.deliveryFailureCount + 1 };
  if (next.kind === "retry") {
    return { ...failed, nextDeliveryTime: now + next.delayMs, planningTime: now };
  }
  return {
    ...failed,
    state: "DEAD_LETTER",
    deadLetterTime: now,
    nextDeliveryTime: null,
    expirationTime: now + retentionMs,
  };
}
