import { attemptOutcomes } from "../../domain/attempt.ts";
import { endReasons } from "../../domain/end-reason.ts";
import type {
  EventAttempt,
  EventData,
  EventFacts,
  EventMessage,
} from "../../domain/events/event.ts";
import { eventTypes } from "../../domain/events/event-types.ts";
import type { Instant } from "../../domain/instant.ts";
import { messageStates } from "../../domain/message.ts";

/*
 * An event as a line of a bundle: a list of values in JSON without names. Events of messages are nearly all that there are,
 * so theirs are short. `logTime` is that of the bundle.
 */

/** A value of a line as JSON. Numbers and null become it by themselves. */
type JsonText = number | string | null;

/**
 * Joined by hand, which takes a third of the time: a batch has a thousand lines. Times are written as their distance from
 * another time, which is short. The first value is the event's own time.
 */
export function lineOf({ type, time, targetId, data }: EventFacts, logTime: Instant): string {
  const values: JsonText[] = [time - logTime, eventTypes.indexOf(type), quoted(targetId)];
  const { message, attempt } = data;
  if (message === undefined) values.push(JSON.stringify(data));
  else {
    pushMessage(values, message, time);
    if (attempt !== undefined) pushAttempt(values, attempt, time);
  }
  return listOf(values);
}

/** Ids consist of plain characters. */
function quoted(id: string | null): string | null {
  return id === null ? null : `"${id}"`;
}

/** Nulls behind the last value are left out. */
function listOf(values: readonly JsonText[]): string {
  let { length } = values;
  while (values[length - 1] === null) length--;
  let text = `[${values[0]}`;
  for (let index = 1; index < length; index++) text += `,${values[index]}`;
  return `${text}]`;
}

export function factsOf(line: string, logTime: Instant): EventFacts {
  const values = JSON.parse(line) as unknown[];
  const [shift, index, targetId] = values as [number, number, string | null];
  const type = eventTypes[index]!;
  const time = logTime + shift;
  const data = type.startsWith("message.")
    ? messageData(values, targetId!, time)
    : (values[3] as EventData);
  return { type, time, targetId, data };
}

/** When the event of a line happened. */
export function timeOf(line: string, logTime: Instant): Instant {
  return logTime + Number.parseInt(line.slice(1));
}

/** What is most often null comes last. */
function pushMessage(values: JsonText[], message: EventMessage, time: Instant): void {
  const { endReason, options } = message;
  values.push(
    quoted(message.messageId),
    messageStates.indexOf(message.state),
    message.deliveryFailureCount,
    message.schedulingTime - time,
    message.originalDeliveryTime - time,
    // Most often they are the same.
    distance(message.nextDeliveryTime, message.originalDeliveryTime),
    distance(message.lastDeliveryTime, time),
    distance(message.expirationTime, time),
    distance(message.deadLetterTime, time),
    distance(message.cancellationTime, time),
    endReason === null ? null : endReasons.indexOf(endReason),
    options === null ? null : JSON.stringify(options),
  );
}

function pushAttempt(values: JsonText[], attempt: EventAttempt, time: Instant): void {
  values.push(
    attempt.number,
    attempt.startTime - time,
    attempt.endTime - time,
    attemptOutcomes.indexOf(attempt.outcome),
    attempt.statusCode,
    attempt.error === null ? null : JSON.stringify(attempt.error),
  );
}

type Distance = number | null;
type Lasting = readonly [id: string, state: number, failures: number, from: number, to: number];
type Passing = readonly [
  ...[next?: Distance, last?: Distance, expires?: Distance, died?: Distance, cancelled?: Distance],
  ...[endReason?: number | null, options?: EventMessage["options"]],
];
type AttemptValues = readonly [
  ...[number: number, started: number, ended: number, outcome: number],
  ...[statusCode?: number | null, error?: string | null],
];

/** Reads what `pushMessage` and `pushAttempt` have written, behind the three values of the head. */
function messageData(values: readonly unknown[], targetId: string, time: Instant): EventData {
  const [messageId, state, deliveryFailureCount, scheduled, original] = values.slice(
    3,
    8,
  ) as unknown as Lasting;
  const [next, last, expires, died, cancelled, endReason, options] = values.slice(
    8,
    15,
  ) as unknown as Passing;
  const message: EventMessage = {
    messageId,
    targetId,
    schedulingTime: time + scheduled,
    originalDeliveryTime: time + original,
    state: messageStates[state]!,
    deliveryFailureCount,
    nextDeliveryTime: instantAt(next, time + original),
    lastDeliveryTime: instantAt(last, time),
    deadLetterTime: instantAt(died, time),
    cancellationTime: instantAt(cancelled, time),
    expirationTime: instantAt(expires, time),
    endReason: endReason == null ? null : endReasons[endReason]!,
    options: options ?? null,
  };
  if (values.length <= 15) return { message };
  const [number, started, ended, outcome, statusCode, error] = values.slice(
    15,
  ) as unknown as AttemptValues;
  const attempt: EventAttempt = {
    number,
    startTime: time + started,
    endTime: time + ended,
    outcome: attemptOutcomes[outcome]!,
    statusCode: statusCode ?? null,
    error: error ?? null,
  };
  return { message, attempt };
}

function distance(instant: Instant | null, time: Instant): number | null {
  return instant === null ? null : instant - time;
}

function instantAt(distanceMs: number | null | undefined, time: Instant): Instant | null {
  return distanceMs == null ? null : time + distanceMs;
}
