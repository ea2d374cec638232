import type { LoggedEvent } from "../../../src/domain/events/event.ts";

/** The positions of a log from which nothing was removed are 1, 2, 3 …, and each event is there once. */
export function judgeLog(accountId: string, log: readonly LoggedEvent[]): string[] {
  const isDense = log.every(({ position }, index) => position === index + 1);
  const isUnique = new Set(log.map(({ eventId }) => eventId)).size === log.length;
  return [
    ...(isDense ? [] : [`the log of ${accountId}: the positions have gaps`]),
    ...(isUnique ? [] : [`the log of ${accountId}: an event is there twice`]),
  ];
}
