import type { Attempt } from "../attempt.ts";
import type { Instant } from "../instant.ts";
import type { TrackedMessage } from "../message.ts";
import type { MessageOptions } from "../message-options.ts";
import type { ChangeDecision } from "../transitions.ts";
import type { EventAttempt, EventFacts, EventMessage } from "./event.ts";
import { bitOf } from "./event-types.ts";
import type { EventMask, MessageEventType } from "./event-types.ts";

/** One change of a message. `before` is null for a message that was just scheduled. */
export interface MessageStep {
  readonly before: TrackedMessage | null;
  readonly after: TrackedMessage;
  /** The attempt that made the change; null: none did. */
  readonly attempt: Attempt | null;
}

/** What happens to a message in one commit, in its order: an attempt, and the changes that waited for it. */
export function stepsOf(
  before: TrackedMessage,
  after: TrackedMessage,
  attempt: Attempt | null,
  decisions: readonly ChangeDecision[] = [],
): MessageStep[] {
  const changed = decisions.filter(({ kind }) => kind === "changed");
  const steps: MessageStep[] = [];
  let current = before;
  if (attempt !== null && changed.length > 0) {
    // The changes replaced what would have followed from the attempt, so nothing but the count came of it.
    const attempted: TrackedMessage = {
      ...before,
      lastDeliveryTime: attempt.startTime,
      deliveryFailureCount: before.deliveryFailureCount + 1,
      attemptCount: before.attemptCount + 1,
    };
    steps.push({ before, after: attempted, attempt });
    current = attempted;
  }
  for (const { message } of changed) {
    steps.push({ before: current, after: message, attempt: null });
    current = message;
  }
  if (steps.length === 0) steps.push({ before, after, attempt });
  return steps;
}

/** The types of one change, in their order. */
export function typesOf({ before, after, attempt }: MessageStep): MessageEventType[] {
  if (before === null) return ["message.scheduled"];
  if (after.state === "DELIVERED") return ["message.delivered"];
  const failed: MessageEventType[] = attempt === null ? [] : ["message.attempt_failed"];
  if (after.state === "DEAD_LETTER") return [...failed, "message.dead_lettered"];
  if (attempt !== null) return failed;
  if (after.state === "CANCELLED") {
    return [after.endReason === "REPLACED" ? "message.replaced" : "message.cancelled"];
  }
  return ["message.rescheduled"];
}

/** The events of changes to one message, of the types in the mask. */
export function messageEvents(
  steps: readonly MessageStep[],
  mask: EventMask,
  time: Instant,
): EventFacts[] {
  return steps.flatMap((step) =>
    typesOf(step)
      .filter((type) => (bitOf(type) & mask) !== 0)
      .map((type) => messageEvent(type, step, time)),
  );
}

/** A scheduled message got another content under its key. */
export function replacedInPlaceEvent(after: TrackedMessage, time: Instant): EventFacts {
  return messageEvent("message.replaced", { before: null, after, attempt: null }, time);
}

/** The event of this type that the step makes: see `typesOf`. */
export function messageEvent(
  type: MessageEventType,
  { after, attempt }: MessageStep,
  time: Instant,
): EventFacts {
  return {
    type,
    time,
    targetId: after.targetId,
    data: {
      message: eventMessage(after),
      ...(attempt !== null && { attempt: eventAttempt(attempt) }),
    },
  };
}

/** The fields that callers see, and of headers only the names. Written out, because every event needs it. */
function eventMessage(message: TrackedMessage): EventMessage {
  return {
    messageId: message.messageId,
    targetId: message.targetId,
    schedulingTime: message.schedulingTime,
    originalDeliveryTime: message.originalDeliveryTime,
    state: message.state,
    deliveryFailureCount: message.deliveryFailureCount,
    nextDeliveryTime: message.nextDeliveryTime,
    lastDeliveryTime: message.lastDeliveryTime,
    deadLetterTime: message.deadLetterTime,
    cancellationTime: message.cancellationTime,
    expirationTime: message.expirationTime,
    endReason: message.endReason,
    options: message.options === null ? null : eventOptions(message.options),
  };
}

function eventOptions({ headers, ...others }: MessageOptions): EventMessage["options"] {
  return { ...others, ...(headers !== undefined && { headerNames: headers.names }) };
}

function eventAttempt({ response: _response, ...attempt }: Attempt): EventAttempt {
  return attempt;
}
