import type { Attempt } from "../domain/attempt.ts";
import type { Instant, Message } from "../domain/message.ts";
import { formatTime } from "../domain/times.ts";
import type { Page } from "../operations/list-page.ts";

export function timeOrNull(time: Instant | null): string | null {
  return time === null ? null : formatTime(time);
}

/** A message as it travels: the eleven fields, always all of them. */
export function wireMessage(message: Message) {
  return {
    messageId: message.messageId,
    targetId: message.targetId,
    schedulingTime: formatTime(message.schedulingTime),
    originalDeliveryTime: formatTime(message.originalDeliveryTime),
    state: message.state,
    deliveryFailureCount: message.deliveryFailureCount,
    nextDeliveryTime: timeOrNull(message.nextDeliveryTime),
    lastDeliveryTime: timeOrNull(message.lastDeliveryTime),
    deadLetterTime: timeOrNull(message.deadLetterTime),
    cancellationTime: timeOrNull(message.cancellationTime),
    expirationTime: timeOrNull(message.expirationTime),
  };
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
