import { walkOf } from "../../../../domain/job-filter.ts";
import type { JobWalk } from "../../../../domain/job-filter.ts";
import { mostLookedAtByStep } from "../../../../domain/job.ts";
import type { JobCursor, JobFilter } from "../../../../domain/job.ts";
import { earliestTime, latestTime } from "../../../../domain/times.ts";
import { parseMessageId } from "../../../../platform/message-ids.ts";
import { messageColumns, readStoredMessage } from "../../rows/message-columns.ts";
import type { StoredMessage } from "../../rows/message-columns.ts";
import type { Values } from "../../rows/rows.ts";
import type { Context } from "../context.ts";
import { beginSlice, piece } from "../time-slice.ts";

type Order = Parameters<typeof walkOf>[0] & { readonly accountId: string };

/**
 * Goes through messages that a job may meet, from the cursor on, until `visit` has had enough, its time is
 * over or a bounded number of them was looked at. Answers with the place where it stopped; null: nothing comes behind it.
 */
export function walkMessages(context: Context) {
  const next = piecesOfWalks(context);
  return (
    order: Order,
    after: JobCursor | null,
    visit: (stored: StoredMessage) => "next" | "enough",
  ): JobCursor | null => {
    const walk = walkOf(order);
    const isOver = beginSlice(context);
    let cursor = after;
    for (let looked = 0; looked < mostLookedAtByStep; looked += piece) {
      const found = next(order, walk, cursor);
      for (const stored of found) {
        cursor = placeOf(walk, stored);
        if (visit(stored) === "enough") return cursor;
      }
      if (found.length < piece) return null;
      if (isOver()) return cursor;
    }
    return cursor;
  };
}

function placeOf(walk: JobWalk, { message }: StoredMessage): JobCursor {
  const { messageId, nextDeliveryTime, deadLetterTime } = message;
  if (walk.by === "label") return { time: null, messageId };
  return { time: walk.list === "scheduled" ? nextDeliveryTime : deadLetterTime, messageId };
}

function piecesOfWalks({ db, accounts }: Context) {
  // Includes removed targets: the messages that are left of one can be looked at.
  const selectTarget = db.prepare(
    "SELECT target_key FROM targets WHERE account_key = ? AND target_id = ?",
  );
  const prepare = (sql: string) => {
    const statement = db.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  };
  // Two statements: the index finds a key at one time, but not the next pair of time and key. It would go
  // through all messages of that time again, and many may have the same.
  const inOrder = (column: "next_delivery_time" | "dead_letter_time") => {
    const from = `SELECT ${messageColumns} FROM messages m JOIN targets USING (target_key)
      WHERE m.target_key = ?`;
    const direction = (behind: "<" | ">", upTo: "<=" | ">=", order: "ASC" | "DESC") => ({
      atTime: prepare(
        `${from} AND ${column} = ? AND message_key ${behind} ?
         ORDER BY message_key ${order} LIMIT ?`,
      ),
      behind: prepare(
        `${from} AND ${column} ${behind} ? AND ${column} ${upTo} ?
         ORDER BY ${column} ${order}, message_key ${order} LIMIT ?`,
      ),
    });
    return { earliest: direction(">", "<=", "ASC"), latest: direction("<", ">=", "DESC") };
  };
  const byTarget = {
    scheduled: inOrder("next_delivery_time"),
    "dead-letters": inOrder("dead_letter_time"),
  };
  // CROSS JOIN keeps the tables in this order, which is that of the keys.
  const byLabel = prepare(
    `SELECT ${messageColumns} FROM message_labels l CROSS JOIN messages m USING (message_key)
       CROSS JOIN targets USING (target_key)
     WHERE l.account_key = ? AND l.label = ? AND message_key > ?
     ORDER BY message_key LIMIT ${piece}`,
  );

  return (order: Order, walk: JobWalk, after: JobCursor | null): StoredMessage[] => {
    const accountKey = accounts.keyOf(order.accountId);
    if (accountKey === undefined) return [];
    const read = (rows: unknown): StoredMessage[] => (rows as Values[]).map(readStoredMessage);
    if (walk.by === "label") {
      return read(byLabel.all(accountKey, walk.label, keyAt(after) ?? -1));
    }
    const target = selectTarget.get(accountKey, walk.targetId);
    if (target === undefined) return [];
    const targetKey = target["target_key"] as number;
    const { from, to } = boundsOf(order.filter, walk.first);
    const { atTime, behind } = byTarget[walk.list][walk.first];
    const key = keyAt(after);
    if (after === null || after.time === null || key === undefined) {
      const before = walk.first === "earliest" ? from - 1 : from + 1;
      return read(behind.all(targetKey, before, to, piece));
    }
    const same = read(atTime.all(targetKey, after.time, key, piece));
    if (same.length === piece) return same;
    return [...same, ...read(behind.all(targetKey, after.time, to, piece - same.length))];
  };
}

function keyAt(cursor: JobCursor | null): number | undefined {
  return cursor === null ? undefined : parseMessageId(cursor.messageId)?.sequence;
}

function boundsOf({ minTime, maxTime }: JobFilter, first: "earliest" | "latest") {
  const low = minTime ?? earliestTime;
  const high = maxTime ?? latestTime;
  return first === "earliest" ? { from: low, to: high } : { from: high, to: low };
}
