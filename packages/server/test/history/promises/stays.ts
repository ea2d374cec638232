import type { Instant, Message } from "../../../src/domain/message.ts";
import type { Bounds } from "../history.ts";
import { attemptsOf, effectBy, toldMessages } from "../message-log.ts";
import type { MessageLog } from "../message-log.ts";

/** A time in which a message certainly had one position in a list. */
export interface Stay {
  readonly messageId: string;
  readonly list: "scheduled" | "dead letters";
  readonly time: Instant;
  readonly from: Instant;
  readonly until: Instant;
}

/** From an answer that showed the message there to the earliest event that may have moved it. */
export function staysOf(log: MessageLog, takenAt: Instant, bounds: Bounds): Stay[] {
  const { messageId } = log;
  const shown = toldMessages(log).flatMap(({ askedAt, answeredAt, message }): Stay[] => {
    const place = placeOf(message);
    if (place === undefined) return [];
    const until = firstMove(log, message, askedAt, bounds);
    return answeredAt <= until ? [{ messageId, ...place, from: answeredAt, until }] : [];
  });
  const last = log.final?.message;
  if (last?.deadLetterTime == null) return shown;
  // The message has been there since then, because a reschedule would have removed this time.
  const from = last.deadLetterTime + bounds.clockUncertaintyMs;
  const until = Math.min(takenAt, goneFrom(last, bounds));
  return [...shown, { messageId, list: "dead letters", time: last.deadLetterTime, from, until }];
}

function placeOf({ state, nextDeliveryTime, deadLetterTime }: Message) {
  if (state === "SCHEDULED" && nextDeliveryTime !== null) {
    return { list: "scheduled", time: nextDeliveryTime } as const;
  }
  if (state === "DEAD_LETTER" && deadLetterTime !== null) {
    return { list: "dead letters", time: deadLetterTime } as const;
  }
  return undefined;
}

function firstMove(log: MessageLog, seen: Message, askedAt: Instant, bounds: Bounds): Instant {
  let first = Math.min(goneFrom(seen, bounds), outrunFrom(seen, bounds));
  for (const change of log.changes) {
    if (change.answer.kind === "refused" || effectBy(change) < askedAt) continue;
    // A call's own answer shows the state after the call, not the state before it.
    if (change.answer.kind === "ok" && change.answer.message === seen) continue;
    first = Math.min(first, change.askedAt);
  }
  const next = attemptsOf(log).find(({ number }) => number > seen.deliveryFailureCount);
  if (next !== undefined) first = Math.min(first, next.endTime - 1 - bounds.clockUncertaintyMs);
  if (log.final == null) {
    const receipt = log.receipts.find(({ startedAt }) => startedAt >= askedAt);
    first = Math.min(first, receipt?.startedAt ?? Infinity);
    // The record of the earlier attempts is unknown.
    if (log.receipts.some((each) => each.startedAt < askedAt)) first = -Infinity;
  }
  return first;
}

/** A message leaves the list of scheduled ones at its `notAfter`. */
function outrunFrom({ state, options }: Message, { clockUncertaintyMs }: Bounds): Instant {
  const notAfter = options?.notAfter;
  return state !== "SCHEDULED" || notAfter === undefined ? Infinity : notAfter - clockUncertaintyMs;
}

function goneFrom({ expirationTime }: Message, { clockUncertaintyMs }: Bounds): Instant {
  return expirationTime === null ? Infinity : expirationTime - clockUncertaintyMs;
}
