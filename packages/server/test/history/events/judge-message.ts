import type { EventMessage, LoggedEvent } from "../../../src/domain/events/event.ts";
import type { Attempt } from "../../../src/domain/attempt.ts";
import type { Message, MessageState } from "../../../src/domain/message.ts";

/** A message as the store has it at the end. */
export interface KeptMessage {
  readonly message: Message;
  readonly attempts: readonly Attempt[];
  /** How often the store has changed it, its making included. Undefined if nobody looked. */
  readonly version: number | undefined;
}

/**
 * Holds the events of one message, in the order of the log, against the message: one event for each change, none
 * besides, each of them possible after those before it. `kept` is null if the store no longer knows the message.
 */
export function judgeMessage(kept: KeptMessage | null, events: readonly LoggedEvent[]): string[] {
  const [first] = events;
  if (first?.type !== "message.scheduled") return [`begins with ${first?.type ?? "nothing"}`];
  const last = events.at(-1)!.data.message!;
  const problems = judgeOrder(events);
  if (kept === null) {
    // Only what has ended is forgotten.
    return last.state === "SCHEDULED" ? [...problems, "is gone, and nothing says why"] : problems;
  }
  const { message, attempts, version } = kept;
  if (factsOf(last) !== factsOf(message)) {
    problems.push(`is ${factsOf(message)}, and the last event says ${factsOf(last)}`);
  }
  const changes = events.filter((event) => !isSecondOfOne(event));
  if (version !== undefined && changes.length !== version) {
    problems.push(`was changed ${version} times, and told of ${changes.length} times`);
  }
  const told = changes.flatMap(({ data }) => data.attempt ?? []);
  if (listed(told) !== listed(attempts)) {
    problems.push(`had attempts ${listed(attempts)}, and those told are ${listed(told)}`);
  }
  return problems;
}

/** An attempt and the dead letter that it makes are one change. */
function isSecondOfOne({ type, data }: LoggedEvent): boolean {
  return type === "message.dead_lettered" && data.attempt !== undefined;
}

function listed(
  attempts: readonly { readonly number: number; readonly outcome: string }[],
): string {
  return attempts.map(({ number, outcome }) => `${number} ${outcome}`).join(", ") || "none";
}

/** Everything that changes in a message, for comparing two looks at it. */
export function factsOf(message: EventMessage | Message): string {
  const { state, nextDeliveryTime, lastDeliveryTime, deliveryFailureCount } = message;
  const { deadLetterTime, cancellationTime, expirationTime, endReason } = message;
  const times = [
    nextDeliveryTime,
    lastDeliveryTime,
    deadLetterTime,
    cancellationTime,
    expirationTime,
  ];
  return [state, `${deliveryFailureCount} failures`, endReason, ...times].map(String).join(" ");
}

/** What the events up to one of them tell. */
interface Standing {
  readonly state: MessageState;
  readonly attempts: number;
  readonly failures: number;
  readonly lastStart: number | null;
}

function judgeOrder(events: readonly LoggedEvent[]): string[] {
  const problems: string[] = [];
  let standing: Standing = { state: "SCHEDULED", attempts: 0, failures: 0, lastStart: null };
  let before: LoggedEvent | undefined;
  for (const event of events) {
    const { attempt, message } = event.data;
    const isFirst = before === undefined;
    if (isLastFailure(before) !== isSecondOfOne(event)) {
      problems.push(
        `has ${event.type} right after ${before?.type}, whose state is ${standing.state}`,
      );
    }
    if (isFirst !== (event.type === "message.scheduled") || !isPossible(event, before, standing)) {
      problems.push(`has ${event.type} after ${before?.type ?? "nothing"}`);
    }
    if (attempt !== undefined && !isSecondOfOne(event)) {
      if (attempt.number !== standing.attempts + 1) {
        problems.push(`has attempt ${attempt.number} told after ${standing.attempts}`);
      }
      standing = {
        ...standing,
        attempts: attempt.number,
        failures: standing.failures + Number(event.type === "message.attempt_failed"),
        lastStart: attempt.startTime,
      };
    }
    const { deliveryFailureCount, lastDeliveryTime, state } = message!;
    if (deliveryFailureCount !== standing.failures || lastDeliveryTime !== standing.lastStart) {
      problems.push(
        `shows ${deliveryFailureCount} failures and ${lastDeliveryTime} in ${event.type}, after ${standing.failures} and ${standing.lastStart}`,
      );
    }
    standing = { ...standing, state };
    before = event;
  }
  if (isLastFailure(before)) problems.push("ends with a failure, and no dead letter");
  return problems;
}

function isPossible(
  { type, data }: LoggedEvent,
  before: LoggedEvent | undefined,
  { state: was }: Standing,
): boolean {
  const { state: is, endReason } = data.message!;
  const hasAttempt = data.attempt !== undefined;
  switch (type) {
    case "message.scheduled":
      return is === "SCHEDULED" && !hasAttempt;
    case "message.attempt_failed":
      return was === "SCHEDULED" && (is === "SCHEDULED" || is === "DEAD_LETTER") && hasAttempt;
    case "message.delivered":
      return was === "SCHEDULED" && is === "DELIVERED" && hasAttempt;
    case "message.dead_lettered":
      return is === "DEAD_LETTER" && (hasAttempt ? isLastFailure(before) : was === "SCHEDULED");
    case "message.rescheduled":
      return was !== "DELIVERED" && is === "SCHEDULED" && !hasAttempt;
    case "message.cancelled":
      return was === "SCHEDULED" && is === "CANCELLED" && endReason !== "REPLACED" && !hasAttempt;
    case "message.replaced":
      return was === "SCHEDULED" && (is === "SCHEDULED" || endReason === "REPLACED") && !hasAttempt;
    default:
      return false;
  }
}

function isLastFailure(before: LoggedEvent | undefined): boolean {
  return before?.type === "message.attempt_failed" && before.data.message!.state === "DEAD_LETTER";
}
