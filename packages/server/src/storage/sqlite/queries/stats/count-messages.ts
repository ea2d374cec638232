import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { placeBetween } from "../../../../domain/edges.ts";
import type { Instant } from "../../../../domain/message.ts";
import type { CountRequest, CountSlice } from "../../../store.ts";
import { beginLook } from "./reading-context.ts";
import type { ReadingContext } from "./reading-context.ts";
import { walkedTargets } from "./walked-targets.ts";

/** How many messages one statement counts at most. It takes a few milliseconds. */
const piece = 20_000;

/** A place in a target's list. With a key: behind that message, among those at the same time. */
interface Position {
  readonly time: Instant;
  readonly key: number | null;
}

/** In which target, and where in it; null: behind all of it. */
type Reached = readonly [targetId: string, position: Position | null];

/** Counts in the index, without a look at the messages. */
export function countMessages(context: ReadingContext) {
  const targetsOf = walkedTargets(context);
  const lists = {
    scheduled: countingIn(context.db, "next_delivery_time"),
    "dead-letters": countingIn(context.db, "dead_letter_time"),
  };

  return (request: CountRequest): CountSlice => {
    const { edges } = request;
    const counts = Array.from({ length: edges.length - 1 }, () => 0);
    const isOver = beginLook(context);
    const goOn = lists[request.list];
    const [from, within] = request.after === null ? [] : (JSON.parse(request.after) as Reached);
    const begin: Position = { time: edges[0]!, key: null };
    for (const { targetKey, targetId } of targetsOf(request, from ?? null)) {
      let position: Position | null = targetId === from ? (within ?? null) : begin;
      while (position !== null) {
        position = goOn(targetKey, position, edges, counts);
        if (isOver()) return { counts, reached: JSON.stringify([targetId, position]) };
      }
    }
    return { counts, reached: null };
  };
}

/** Counts one piece. Answers where to go on; null: nothing is left before the last edge. */
function countingIn(db: DatabaseSync, column: "next_delivery_time" | "dead_letter_time") {
  const prepare = (sql: string) => {
    const statement = db.prepare(sql);
    statement.setReturnArrays(true);
    return (...values: SQLInputValue[]) =>
      statement.get(...values) as unknown as [number, number | null];
  };
  const first = prepare(
    `SELECT 0, min(${column}) FROM messages WHERE target_key = ? AND ${column} >= ?`,
  );
  const between = `SELECT ${column} AS time FROM messages
    WHERE target_key = ? AND ${column} >= ? AND ${column} < ?`;
  const upTo = prepare(
    `SELECT count(*), max(time) FROM (${between} ORDER BY ${column} LIMIT ${piece + 1})`,
  );
  const all = prepare(`SELECT count(*), NULL FROM (${between})`);
  const atOnce = prepare(
    `SELECT count(*), max(message_key) FROM (
       SELECT message_key FROM messages WHERE target_key = ? AND ${column} = ? AND message_key > ?
       ORDER BY message_key LIMIT ${piece})`,
  );
  const beforeEveryKey = -1;

  return (
    targetKey: number,
    { time, key }: Position,
    edges: readonly Instant[],
    counts: number[],
  ): Position | null => {
    if (key !== null) {
      const [count, last] = atOnce(targetKey, time, key);
      counts[placeBetween(edges, time)]! += count;
      return count < piece ? { time: time + 1, key: null } : { time, key: last };
    }
    const [, next] = first(targetKey, time);
    if (next === null || next >= edges.at(-1)!) return null;
    const place = placeBetween(edges, next);
    const [count, last] = upTo(targetKey, next, edges[place + 1]!);
    if (count <= piece) {
      counts[place]! += count;
      return { time: edges[place + 1]!, key: null };
    }
    // Any number of messages may have the last time. They are counted by their keys.
    counts[place]! += all(targetKey, next, last)[0];
    return { time: last!, key: beforeEveryKey };
  };
}
