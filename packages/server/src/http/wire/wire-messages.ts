import type { Attempt } from "../../domain/attempt.ts";
import type { DeadLetterReason } from "../../domain/end-reason.ts";
import type { Instant, Message } from "../../domain/message.ts";
import { formatTime } from "../../domain/times.ts";
import { wireRetryPolicy } from "./wire-retry-policy.ts";
import type { Page } from "../../operations/paging/list-page.ts";

export function timeOrNull(time: Instant | null): string | null {
  return time === null ? null : formatTime(time);
}

export type WireMessage = ReturnType<typeof wirePlain> & ReturnType<typeof wireOptions>;

/** A message as the API shows it: always with the eleven fields, and with what was set besides. */
export function wireMessage(message: Message): WireMessage {
  const isPlain = message.options === null && message.endReason === null;
  return isPlain ? wirePlain(message) : { ...wirePlain(message), ...wireOptions(message) };
}

function wirePlain(message: Message) {
  const { nextDeliveryTime } = message;
  const originalDeliveryTime = formatTime(message.originalDeliveryTime);
  const unmoved = nextDeliveryTime === message.originalDeliveryTime;
  return {
    messageId: message.messageId,
    targetId: message.targetId,
    schedulingTime: formatTime(message.schedulingTime),
    originalDeliveryTime,
    state: message.state,
    deliveryFailureCount: message.deliveryFailureCount,
    nextDeliveryTime: unmoved ? originalDeliveryTime : timeOrNull(nextDeliveryTime),
    lastDeliveryTime: timeOrNull(message.lastDeliveryTime),
    deadLetterTime: timeOrNull(message.deadLetterTime),
    cancellationTime: timeOrNull(message.cancellationTime),
    expirationTime: timeOrNull(message.expirationTime),
  };
}

/** In the order of the contract, which the compiled serialiser keeps to as well. */
function wireOptions({ state, endReason, options }: Message) {
  const { labels, retryPolicy, notAfter, notAfterMs, headers, contentType, timeoutMs } =
    options ?? {};
  const flexWindowMs = options?.flexWindowMs;
  return {
    ...(state === "DEAD_LETTER" &&
      endReason !== null && { deadLetterReason: endReason as DeadLetterReason }),
    ...(state === "CANCELLED" && endReason === "REPLACED" && { cancellationReason: endReason }),
    ...(options?.key !== undefined && { key: options.key }),
    ...(labels !== undefined && { labels }),
    ...(retryPolicy !== undefined && { retryPolicy: wireRetryPolicy(retryPolicy) }),
    ...(notAfter !== undefined && { notAfter: formatTime(notAfter) }),
    ...(notAfterMs !== undefined && { notAfterMs }),
    ...(headers !== undefined && { headers: valuesHidden(headers.names) }),
    ...(contentType !== undefined && { contentType }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(flexWindowMs !== undefined && { flexWindowMs }),
  };
}

function valuesHidden(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, "set"]));
}

/** The fields of a plain message. Any other is one that was set besides. */
const plainFieldCount = 11;

/**
 * Writes a message as JSON, in a fourth of the time that the compiled serialiser takes. Most answers are
 * messages. No value of a plain message needs escaping: ids, states and times consist of plain characters.
 */
export function writeMessage(message: WireMessage): string {
  const { messageId, targetId, schedulingTime, originalDeliveryTime, state } = message;
  const isPlain = Object.keys(message).length === plainFieldCount;
  return (
    `{"messageId":"${messageId}","targetId":"${targetId}","schedulingTime":"${schedulingTime}",` +
    `"originalDeliveryTime":"${originalDeliveryTime}","state":"${state}",` +
    `"deliveryFailureCount":${message.deliveryFailureCount},` +
    `"nextDeliveryTime":${quoted(message.nextDeliveryTime)},` +
    `"lastDeliveryTime":${quoted(message.lastDeliveryTime)},` +
    `"deadLetterTime":${quoted(message.deadLetterTime)},` +
    `"cancellationTime":${quoted(message.cancellationTime)},` +
    `"expirationTime":${quoted(message.expirationTime)}${isPlain ? "}" : writeOptions(message)}`
  );
}

function writeOptions(message: WireMessage): string {
  const set = Object.entries(message).slice(plainFieldCount);
  return `,${JSON.stringify(Object.fromEntries(set)).slice(1)}`;
}

function quoted(time: string | null): string {
  return time === null ? "null" : `"${time}"`;
}

export function wireAttempt(attempt: Attempt) {
  return {
    ...attempt,
    startTime: formatTime(attempt.startTime),
    endTime: formatTime(attempt.endTime),
  };
}

export function wirePage<Item, Wire>(page: Page<Item>, wire: (item: Item) => Wire) {
  return {
    items: page.items.map(wire),
    count: page.items.length,
    pageToken: page.pageToken,
    nextPageToken: page.nextPageToken,
  };
}
