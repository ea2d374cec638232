import { mostLabelledLookedAt } from "../../../domain/message-search.ts";
import type { SearchOrder } from "../../../domain/message-search.ts";
import { messageStates } from "../../../domain/message.ts";
import type { Message, MessageState } from "../../../domain/message.ts";
import { firstSequenceAt, idAtSequence, parseMessageId } from "../../../platform/message-ids.ts";
import type { FindRequest, FindResult } from "../../store.ts";
import type { Context } from "./context.ts";
import { keyWalks, labelWalks, piece } from "./search-walks.ts";
import type { Common, SearchWalk, Span } from "./search-walks.ts";

/**
 * The store does nothing else meanwhile. How long a piece takes depends on how much of it is in memory, so a
 * search looks at the clock after each.
 */
const longestMs = 3;

const nothing: FindResult = { messages: [], lookedUntil: null };

export function findMessages({ db, clock, accounts }: Context) {
  // Includes removed targets: their messages stay on record until they expire.
  const selectTarget = db.prepare(
    "SELECT target_key FROM targets WHERE account_key = ? AND target_id = ?",
  );
  const byKey = { newest: keyWalks(db, "newest"), oldest: keyWalks(db, "oldest") };
  const byLabel = { newest: labelWalks(db, "newest"), oldest: labelWalks(db, "oldest") };
  const countLabelled = db.prepare(
    `SELECT count(*) AS count FROM (
       SELECT 1 FROM message_labels
       WHERE account_key = ? AND label = ? AND message_key > ? AND message_key < ? LIMIT ?)`,
  );

  function walkFor({ order, labels }: FindRequest, common: Common, span: Span): SearchWalk {
    if (labels.length === 0) return byKey[order](common);
    const [accountKey] = common;
    const counted = labels.map((label) => {
      const row = countLabelled.get(accountKey, label, span.low, span.high, mostLabelledLookedAt);
      return { label, count: row!["count"] as number };
    });
    const { label } = counted.reduce((fewest, each) => (each.count < fewest.count ? each : fewest));
    const others = labels.filter((each) => each !== label);
    return byLabel[order](common, label, others);
  }

  return (request: FindRequest): FindResult => {
    const { order, limit, targetId } = request;
    const accountKey = accounts.keyOf(request.accountId);
    if (accountKey === undefined) return nothing;
    const target = targetId === null ? null : selectTarget.get(accountKey, targetId);
    if (target === undefined) return nothing;
    const common: Common = [
      accountKey,
      target && (target["target_key"] as number),
      stateMask(request.states),
      request.minTime ?? Number.MIN_SAFE_INTEGER,
      request.maxTime ?? Number.MAX_SAFE_INTEGER,
      clock.now(),
    ];
    let span = spanOf(request);
    const walk = walkFor(request, common, span);
    const until = clock.monotonic() + longestMs;
    const messages: Message[] = [];
    for (let looked = piece; ; looked += piece) {
      const end = walk.endOfPiece(span);
      const next = end === undefined ? span : upTo(end, order, span);
      messages.push(...walk.matchesIn(next, limit - messages.length));
      if (messages.length >= limit) return { messages, lookedUntil: messages.at(-1)!.messageId };
      if (end === undefined) return { messages, lookedUntil: null };
      if (looked >= walk.most || clock.monotonic() >= until) {
        return { messages, lookedUntil: idAtSequence(end) };
      }
      span = behind(end, order, span);
    }
  };
}

function spanOf({ idTimes, order, after }: FindRequest): Span {
  const span = {
    low: idTimes.from === null ? -1 : firstSequenceAt(idTimes.from) - 1,
    high: idTimes.until === null ? Number.MAX_SAFE_INTEGER : firstSequenceAt(idTimes.until + 1),
  };
  const last = after === null ? undefined : parseMessageId(after)?.sequence;
  return last === undefined ? span : behind(last, order, span);
}

/** The part of the span that ends with this key. */
function upTo(key: number, order: SearchOrder, { low, high }: Span): Span {
  return order === "newest" ? { low: key - 1, high } : { low, high: key + 1 };
}

/** The part of the span behind this key. */
function behind(key: number, order: SearchOrder, { low, high }: Span): Span {
  return order === "newest"
    ? { low, high: Math.min(high, key) }
    : { low: Math.max(low, key), high };
}

/** One bit for each state. */
function stateMask(states: readonly MessageState[] | null): number {
  const wanted = states ?? messageStates;
  return wanted.reduce((mask, state) => mask | (1 << messageStates.indexOf(state)), 0);
}
