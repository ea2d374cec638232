import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { mostLabelledLookedAt, mostMessagesLookedAt } from "../../../domain/message-search.ts";
import type { SearchOrder } from "../../../domain/message-search.ts";
import type { Message } from "../../../domain/message.ts";
import { messageColumns, readStoredMessage } from "../rows/message-columns.ts";
import type { Values } from "../rows/rows.ts";

/** The keys that are still to be looked at, without the bounds themselves. */
export interface Span {
  readonly low: number;
  readonly high: number;
}

/** What the messages of a search have in common, in the order of the parameters of `matching`. */
export type Common = readonly [
  accountKey: number,
  targetKey: number | null,
  stateMask: number,
  minTime: number,
  maxTime: number,
  now: number,
];

/** A way through the messages in the order of their keys. */
export interface SearchWalk {
  /** How many messages one call may look at. */
  readonly most: number;
  /** The key of the last message of the next piece. Undefined: all that is left is one piece. */
  endOfPiece(span: Span): number | undefined;
  matchesIn(span: Span, limit: number): Message[];
}

/** How many messages are looked at in one go. */
export const piece = 200;

const matching = `m.account_key = ?3 AND (?4 IS NULL OR m.target_key = ?4) AND (?5 >> m.state) & 1
  AND m.scheduling_time BETWEEN ?6 AND ?7
  AND (m.expiration_time IS NULL OR m.expiration_time > ?8)`;

/*
 * CROSS JOIN keeps the tables in this order, and NOT INDEXED leaves only the keys themselves: rows come in the
 * order of their keys, and nothing is sorted.
 */

/** Through the messages of all accounts. */
export function keyWalks(db: DatabaseSync, order: SearchOrder) {
  const inOrder = `ORDER BY message_key ${order === "newest" ? "DESC" : "ASC"}`;
  const selectEnd = db.prepare(
    `SELECT message_key FROM messages NOT INDEXED WHERE message_key > ? AND message_key < ?
     ${inOrder} LIMIT 1 OFFSET ${piece - 1}`,
  );
  const select = db.prepare(
    `SELECT ${messageColumns} FROM messages m NOT INDEXED CROSS JOIN targets USING (target_key)
     WHERE message_key > ?1 AND message_key < ?2 AND ${matching} ${inOrder} LIMIT ?9`,
  );
  select.setReturnArrays(true);
  return (common: Common): SearchWalk => ({
    most: mostMessagesLookedAt,
    endOfPiece: ({ low, high }) => keyFrom(selectEnd, low, high),
    matchesIn: ({ low, high }, limit) => messagesFrom(select, low, high, ...common, limit),
  });
}

/** Through the account's messages with one label. The others are checked on each of them. */
export function labelWalks(db: DatabaseSync, order: SearchOrder) {
  const inOrder = `ORDER BY message_key ${order === "newest" ? "DESC" : "ASC"}`;
  const selectEnd = db.prepare(
    `SELECT message_key FROM message_labels
     WHERE account_key = ? AND label = ? AND message_key > ? AND message_key < ?
     ${inOrder} LIMIT 1 OFFSET ${piece - 1}`,
  );
  const select = db.prepare(
    `SELECT ${messageColumns} FROM message_labels l CROSS JOIN messages m USING (message_key)
       CROSS JOIN targets USING (target_key)
     WHERE l.account_key = ?3 AND l.label = ?10 AND message_key > ?1 AND message_key < ?2
       AND NOT EXISTS (
         SELECT 1 FROM json_each(?11) AS other WHERE NOT EXISTS (
           SELECT 1 FROM message_labels o
           WHERE o.account_key = ?3 AND o.label = other.value AND o.message_key = l.message_key))
       AND ${matching} ${inOrder} LIMIT ?9`,
  );
  select.setReturnArrays(true);
  return (common: Common, label: string, others: readonly string[]): SearchWalk => {
    const rest = JSON.stringify(others);
    return {
      most: mostLabelledLookedAt,
      endOfPiece: ({ low, high }) => keyFrom(selectEnd, common[0], label, low, high),
      matchesIn: ({ low, high }, limit) =>
        messagesFrom(select, low, high, ...common, limit, label, rest),
    };
  };
}

function keyFrom(statement: StatementSync, ...values: readonly SQLInputValue[]) {
  return statement.get(...values)?.["message_key"] as number | undefined;
}

function messagesFrom(statement: StatementSync, ...values: readonly SQLInputValue[]): Message[] {
  const rows = statement.all(...values) as unknown as Values[];
  return rows.map((row) => readStoredMessage(row).message);
}
