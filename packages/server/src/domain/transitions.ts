import type { Instant, TrackedMessage } from "./message.ts";
import type { NextStep } from "./retry-policy.ts";

/**
 * The states of a message and every way between them.
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
 * SCHEDULED alone has a `nextDeliveryTime`; the other three alone have an `expirationTime`, at which
 * the message is removed. DELIVERED is left by removal only.
 *
 * Each function takes the message as it is and gives it back as it becomes, one version on. None looks
 * at a clock: the store says when. `undefined` means that the state does not allow it.
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

/** The message after an attempt whose consequence has been decided. */
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

/** What a caller asks for: a reschedule to this time, or a cancel where the time is null. */
export interface RequestedChange {
  readonly deliveryTime: Instant | null;
}

export type ChangeDecision =
  | { readonly kind: "changed"; readonly message: TrackedMessage }
  /** The state does not allow it; the message stays as it is. */
  | { readonly kind: "refused"; readonly message: TrackedMessage };

export function decideChange(
  message: TrackedMessage,
  { deliveryTime }: RequestedChange,
  now: Instant,
  retentionMs: number,
): ChangeDecision {
  const changed =
    deliveryTime === null
      ? cancelled(message, now, retentionMs)
      : rescheduled(message, deliveryTime, now);
  return changed === undefined
    ? { kind: "refused", message }
    : { kind: "changed", message: changed };
}

export interface SettledClaim<Change extends RequestedChange> {
  readonly message: TrackedMessage;
  /** What each waiting change comes to. */
  readonly answers: readonly { readonly change: Change; readonly decision: ChangeDecision }[];
}

/**
 * The message after the changes that waited for the end of a claim, in the order in which they came.
 * Each sees what the one before it made.
 */
export function applyWaitingChanges<Change extends RequestedChange>(
  message: TrackedMessage,
  waitingChanges: readonly Change[],
  now: Instant,
  retentionMs: number,
  decide = decideChange,
): SettledClaim<Change> {
  let current = message;
  const answers = waitingChanges.map((change) => {
    const decision = decide(current, change, now, retentionMs);
    current = decision.message;
    return { change, decision };
  });
  return { message: current, answers };
}

/** A failure counts, and the waiting changes decide what comes next. */
const overruled: NextStep = { kind: "retry", delayMs: 0 };

/**
 * The message after an attempt and the changes that waited for it. A delivery stands, whatever waited.
 * After a failure the waiting changes replace what the retry policy said.
 */
export function settleAttempt<Change extends RequestedChange>(
  message: TrackedMessage,
  end: AttemptEnd,
  waitingChanges: readonly Change[],
  now: Instant,
  retentionMs: number,
  decide = decideChange,
): SettledClaim<Change> | undefined {
  const isOverruled = end.next.kind !== "delivered" && waitingChanges.length > 0;
  const next = isOverruled ? overruled : end.next;
  const after = attempted(message, { startTime: end.startTime, next }, now, retentionMs);
  return after && applyWaitingChanges(after, waitingChanges, now, retentionMs, decide);
}
