import { isMatched, walkOf } from "../../../../../src/domain/job-filter.ts";
import { mostLookedAtByStep } from "../../../../../src/domain/job.ts";
import type { JobCursor, JobOrder } from "../../../../../src/domain/job.ts";
import { searchTexts } from "../../../../../src/domain/message-options.ts";
import type { Instant } from "../../../../../src/domain/message.ts";
import type { DatabaseState } from "../../database-state.ts";
import { hasExpired } from "../../message-table.ts";
import type { StoredMessage } from "../../message-table.ts";

type Order = Parameters<typeof walkOf>[0] & { readonly accountId: string };

interface Place {
  readonly cursor: JobCursor;
  readonly stored: StoredMessage;
}

/** All places of the job's walk, in its order. */
function placesOf({ messages, targets }: DatabaseState, order: Order): Place[] {
  const walk = walkOf(order);
  if (walk.by === "label") {
    return [...messages.all()]
      .filter(({ accountId }) => accountId === order.accountId)
      .filter(({ message }) => searchTexts(message.options).includes(walk.label))
      .map((stored) => ({ stored, cursor: { time: null, messageId: stored.message.messageId } }))
      .toSorted((one, other) => compare(one.cursor, other.cursor));
  }
  const target = targets.find({ accountId: order.accountId, targetId: walk.targetId })?.target;
  if (target === undefined) return [];
  const { targetKey } = target;
  const list =
    walk.list === "scheduled" ? messages.scheduledOf(targetKey) : messages.deadOf(targetKey);
  const places = [...list.all()].map(({ time, messageId }) => ({
    cursor: { time, messageId },
    stored: messages.get(messageId)!,
  }));
  return walk.first === "latest" ? places.toReversed() : places;
}

function compare(one: JobCursor, other: JobCursor): number {
  if (one.time !== other.time) return one.time! - other.time!;
  return one.messageId < other.messageId ? -1 : Number(one.messageId > other.messageId);
}

/** As many as one step may look at, and whether nothing comes behind them. */
export function nextPlaces(
  state: DatabaseState,
  order: Order,
  after: JobCursor | null,
): { readonly places: readonly Place[]; readonly isEnd: boolean } {
  const walk = walkOf(order);
  const direction = walk.by === "target" && walk.first === "latest" ? -1 : 1;
  const behind = placesOf(state, order).filter(
    ({ cursor }) => after === null || direction * compare(cursor, after) > 0,
  );
  return {
    places: behind.slice(0, mostLookedAtByStep),
    isEnd: behind.length <= mostLookedAtByStep,
  };
}

export function isMatch(
  { clock }: DatabaseState,
  order: JobOrder,
  jobTime: Instant,
  stored: StoredMessage,
): boolean {
  if (hasExpired(stored, clock.now())) return false;
  return isMatched(
    order,
    jobTime,
    stored.message,
    () => stored.attempts.at(-1)?.statusCode ?? null,
  );
}
