import {
  dueTime,
  isOutrun,
  withBound,
  withDeliveryTime,
  withShiftedBound,
} from "./message-options.ts";
import type { GivenBound, MessageOptions } from "./message-options.ts";
import type { DeadLetterReason } from "./end-reason.ts";
import type { Instant, TrackedMessage } from "./message.ts";
import type { NextStep } from "./retry-policy.ts";

/**
 * The states of a message and all transitions between them.
 *
 *     schedule ──► SCHEDULED ──delivered──► DELIVERED
 *                  │ ▲  │ ▲ └──retry──┐
 *                  │ │  │ └───────────┘
 *              cancel│  └──dead-letter──► DEAD_LETTER    (also without an attempt: `outrun`)
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
  readonly options: MessageOptions | null;
}

export function scheduled(draft: NewMessage, now: Instant): TrackedMessage {
  const { messageId, deliveryTime } = draft;
  const options = draft.options && withDeliveryTime(draft.options, deliveryTime);
  return {
    messageId,
    targetId: draft.targetId,
    schedulingTime: now,
    originalDeliveryTime: deliveryTime,
    state: "SCHEDULED",
    deliveryFailureCount: 0,
    nextDeliveryTime: options === null ? deliveryTime : dueTime(messageId, options, deliveryTime),
    lastDeliveryTime: null,
    deadLetterTime: null,
    cancellationTime: null,
    expirationTime: null,
    endReason: null,
    options,
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

/** A cancel by the message that takes its key or its run over. */
export function replaced(
  message: TrackedMessage,
  now: Instant,
  retentionMs: number,
): TrackedMessage {
  const ended = cancelled(message, now, retentionMs);
  if (ended === undefined) throw new Error("only a scheduled message holds a key");
  return { ...ended, endReason: "REPLACED" };
}

/**
 * A cancel by the message that an edit of its schedule makes for the same run. That one has its place in the count, so
 * nothing of this one is kept: edits without end would fill the disk with what no limit counts.
 */
export function superseded(message: TrackedMessage, now: Instant): TrackedMessage {
  return replaced(message, now, 0);
}

export interface NewContent {
  readonly deliveryTime: Instant;
  readonly options: MessageOptions;
  /** Its times stay as they are, whatever the delivery time says. */
  readonly keepsTime: boolean;
}

/** The same message with another content, as if it had just been scheduled with it. */
export function replacedInPlace(
  message: TrackedMessage,
  { deliveryTime, options: given, keepsTime }: NewContent,
  now: Instant,
): TrackedMessage {
  const version = message.version + 1;
  if (keepsTime) {
    return { ...message, version, options: withDeliveryTime(given, message.nextDeliveryTime!) };
  }
  const options = withDeliveryTime(given, deliveryTime);
  return {
    ...message,
    version,
    options,
    originalDeliveryTime: deliveryTime,
    nextDeliveryTime: dueTime(message.messageId, options, deliveryTime),
    planningTime: now,
  };
}

/** Another message is there for the same run of its schedule, or for a later one, and has its place in the count. */
function isSuperseded({ endReason, options }: TrackedMessage): boolean {
  return endReason === "REPLACED" && options?.schedule !== undefined;
}

/** "too-late": no attempt could start before the message's `notAfter`. */
export function rescheduled(
  message: TrackedMessage,
  deliveryTime: Instant,
  now: Instant,
  bound?: GivenBound | null,
): TrackedMessage | "too-late" | undefined {
  if (message.state === "DELIVERED" || isSuperseded(message)) return undefined;
  const given = bound === undefined ? message.options : withBound(message.options, bound);
  const options = given && withDeliveryTime(given, deliveryTime);
  if (isOutrun(options, deliveryTime, now)) return "too-late";
  return {
    ...message,
    state: "SCHEDULED",
    options,
    endReason: null,
    nextDeliveryTime: dueTime(message.messageId, options, deliveryTime),
    planningTime: now,
    deadLetterTime: null,
    cancellationTime: null,
    expirationTime: null,
    attemptsThisRound: 0,
    version: message.version + 1,
  };
}

/**
 * The message with its next attempt earlier or later by this much. Where it stands in its window stays as it is,
 * and a bound that was given relative to the delivery time moves along.
 */
export function shifted(
  message: TrackedMessage,
  byMs: number,
  now: Instant,
): TrackedMessage | "too-late" | undefined {
  const { state, options, nextDeliveryTime } = message;
  if (state !== "SCHEDULED") return undefined;
  const time = nextDeliveryTime! + byMs;
  const moved = options && withShiftedBound(options, byMs);
  if (isOutrun(moved, time, now)) return "too-late";
  return {
    ...message,
    options: moved,
    nextDeliveryTime: time,
    planningTime: now,
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
  if (next.kind === "delivered") {
    return {
      ...counted(message, startTime, 0),
      state: "DELIVERED",
      nextDeliveryTime: null,
      expirationTime: now + retentionMs,
    };
  }
  const failed = counted(message, startTime, 1);
  if (next.kind === "dead-letter") return deadLettered(failed, next.reason, now, retentionMs);
  const nextDeliveryTime = now + next.delayMs;
  return isOutrun(message.options, nextDeliveryTime, now)
    ? deadLettered(failed, "NOT_AFTER", now, retentionMs)
    : { ...failed, nextDeliveryTime, planningTime: now };
}

function counted(message: TrackedMessage, startTime: Instant, failures: 0 | 1): TrackedMessage {
  return {
    ...message,
    lastDeliveryTime: startTime,
    deliveryFailureCount: message.deliveryFailureCount + failures,
    attemptCount: message.attemptCount + 1,
    attemptsThisRound: message.attemptsThisRound + 1,
    version: message.version + 1,
  };
}

/** The message once its `notAfter` has come without an attempt that could still deliver it. */
export function outrun(
  message: TrackedMessage,
  now: Instant,
  retentionMs: number,
): TrackedMessage | undefined {
  const isOver = message.state === "SCHEDULED" && isOutrun(message.options, now, now);
  if (!isOver) return undefined;
  const ended = { ...message, version: message.version + 1 };
  return deadLettered(ended, "NOT_AFTER", now, retentionMs);
}

function deadLettered(
  message: TrackedMessage,
  endReason: DeadLetterReason,
  now: Instant,
  retentionMs: number,
): TrackedMessage {
  return {
    ...message,
    state: "DEAD_LETTER",
    endReason,
    deadLetterTime: now,
    nextDeliveryTime: null,
    expirationTime: now + retentionMs,
  };
}

/** What a caller asks for: a reschedule to this time, or a cancel if the time is null. */
export interface RequestedChange {
  readonly deliveryTime: Instant | null;
  /** A new `notAfter`, or null for none. If it is left out, a reschedule keeps the message's own. */
  readonly bound?: GivenBound | null;
  /** Only if the message is still scheduled: whoever asks by its key means no message that has ended. */
  readonly whileScheduled?: true;
}

export type ChangeDecision =
  | { readonly kind: "changed"; readonly message: TrackedMessage }
  /** The state does not allow the change; the message stays as it is. */
  | { readonly kind: "refused"; readonly message: TrackedMessage }
  /** It would be due only when its `notAfter` is over; the message stays as it is. */
  | { readonly kind: "too-late"; readonly message: TrackedMessage };

export function decideChange(
  message: TrackedMessage,
  { deliveryTime, bound, whileScheduled }: RequestedChange,
  now: Instant,
  retentionMs: number,
): ChangeDecision {
  if (whileScheduled && message.state !== "SCHEDULED") return { kind: "refused", message };
  const changed =
    deliveryTime === null
      ? cancelled(message, now, retentionMs)
      : rescheduled(message, deliveryTime, now, bound);
  if (changed === undefined) return { kind: "refused", message };
  if (changed === "too-late") return { kind: "too-late", message };
  return { kind: "changed", message: changed };
}

export interface SettledClaim<Change extends RequestedChange> {
  readonly message: TrackedMessage;
  /** The decision on each waiting change. */
  readonly answers: readonly { readonly change: Change; readonly decision: ChangeDecision }[];
}

/**
 * The message after the changes that waited for the end of a claim, in the order in which they came.
 * Each change applies to the result of the one before.
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

/**
 * The message after an attempt and the changes that waited for it. A delivery stands, also if changes
 * waited. After a failure, the waiting changes replace the decision of the retry policy, unless all of them
 * are refused. Then their callers have a moment before the next attempt, in which they can ask for something
 * else.
 */
export function settleAttempt<Change extends RequestedChange>(
  message: TrackedMessage,
  end: AttemptEnd,
  waitingChanges: readonly Change[],
  now: Instant,
  retentionMs: number,
  decide = decideChange,
): SettledClaim<Change> | undefined {
  const decided = attempted(message, end, now, retentionMs);
  if (decided === undefined || waitingChanges.length === 0) {
    return decided && { message: decided, answers: [] };
  }
  const isDelivered = end.next.kind === "delivered";
  const before = isDelivered ? decided : counted(message, end.startTime, 1);
  const settled = applyWaitingChanges(before, waitingChanges, now, retentionMs, decide);
  if (settled.message !== before) return settled;
  return { ...settled, message: isDelivered ? decided : afterMoment(decided, now) };
}

/** Long enough for a call on a busy node, short beside most delays between attempts. */
const momentMs = 1_000;

/** The message with its retry put off for a moment, if its `notAfter` allows that. */
function afterMoment(message: TrackedMessage, now: Instant): TrackedMessage {
  const { nextDeliveryTime, options } = message;
  const soonest = now + momentMs;
  const isSoon = nextDeliveryTime !== null && nextDeliveryTime < soonest;
  if (!isSoon || isOutrun(options, soonest, now)) return message;
  return { ...message, nextDeliveryTime: soonest };
}
