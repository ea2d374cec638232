import { searchTexts } from "./message-options.ts";
import type { Instant, Message, MessageState } from "./message.ts";

export type SearchOrder = "newest" | "oldest";

/** What a caller looks for among the messages of an account. */
export interface MessageSearch {
  /** Null: in any state. */
  readonly states: readonly MessageState[] | null;
  /** Null: for any target. */
  readonly targetId: string | null;
  /** As stores index them, a key among them. A message must have all of them. */
  readonly labels: readonly string[];
  /** Bounds for `schedulingTime`, both inclusive. */
  readonly minTime: Instant | null;
  readonly maxTime: Instant | null;
  /** By the messages' ids, which sort by the time of scheduling. */
  readonly order: SearchOrder;
}

/** The most messages that one call looks at without a label to find them by. */
export const mostMessagesLookedAt = 10_000;

/** The most messages with one label that one call looks at. They are read one by one, from anywhere. */
export const mostLabelledLookedAt = 2_000;

export function isFound(search: MessageSearch, message: Message): boolean {
  const { states, targetId, labels, minTime, maxTime } = search;
  const { schedulingTime, options } = message;
  if (states !== null && !states.includes(message.state)) return false;
  if (targetId !== null && message.targetId !== targetId) return false;
  if (minTime !== null && schedulingTime < minTime) return false;
  if (maxTime !== null && schedulingTime > maxTime) return false;
  const own = searchTexts(options);
  return labels.every((label) => own.includes(label));
}

/** Milliseconds in ids, both inclusive. Null: without a bound. */
export interface IdTimes {
  readonly from: Instant | null;
  readonly until: Instant | null;
}

/**
 * A store takes the time in an id before it stores the message, and `schedulingTime` when it stores it. A call
 * may wait for the database in between, for seconds at most. The estimate of the database's clock is off by
 * milliseconds. Ids never go back, so after the clock was set back they are ahead until it has caught up.
 */
const idToleranceMs = 60_000;

/**
 * Which ids messages within the bounds can have. A search reads no others, and compares `schedulingTime` itself.
 * Nothing is scheduled later than now, so a `maxTime` that is not over yet bounds nothing: then a search also
 * finds messages whose ids are far ahead. With an earlier one it misses those that were scheduled while the
 * clock was set back by more than the tolerance.
 */
export function idTimesOf(
  { minTime, maxTime }: Pick<MessageSearch, "minTime" | "maxTime">,
  now: Instant,
): IdTimes {
  return {
    from: minTime === null ? null : minTime - idToleranceMs,
    until: maxTime === null || maxTime >= now ? null : maxTime + idToleranceMs,
  };
}
