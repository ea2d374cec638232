import type { OverdueRequest, OverdueSlice } from "../../../store.ts";
import { openTargets } from "../upcoming.ts";
import { beginLook } from "./reading-context.ts";
import type { ReadingContext } from "./reading-context.ts";

/** How many messages one statement counts at most. It takes a few milliseconds. */
const piece = 20_000;
const targetsAtATime = 100;

/** Walks through the targets, and counts each in the index. */
export function countOverdue(context: ReadingContext) {
  const { db } = context;
  const selectSome = db.prepare(
    `SELECT target_key ${openTargets} AND target_key > ? ORDER BY target_key LIMIT ${targetsAtATime}`,
  );
  const countOne = db.prepare(
    `SELECT count(*), min(time) FROM (
       SELECT next_delivery_time AS time FROM messages
       WHERE target_key = ? AND next_delivery_time <= ? ORDER BY next_delivery_time LIMIT ?)`,
  );
  countOne.setReturnArrays(true);

  function* walk(from: number): Generator<number> {
    let after = from;
    for (;;) {
      const found = selectSome.all(after).map((row) => row["target_key"] as number);
      yield* found;
      if (found.length < targetsAtATime) return;
      after = found.at(-1)!;
    }
  }

  return ({ until, after, mostOfOne }: OverdueRequest): OverdueSlice => {
    const isOver = beginLook(context);
    const most = Math.min(mostOfOne, piece);
    let count = 0;
    let oldest = Infinity;
    const slice = (reached: string | null): OverdueSlice => ({
      count,
      oldestDueAt: count === 0 ? null : oldest,
      reached,
    });
    for (const targetKey of walk(Number(after ?? 0))) {
      const [found, first] = countOne.get(targetKey, until, most) as unknown as [
        number,
        number | null,
      ];
      count += found;
      oldest = Math.min(oldest, first ?? Infinity);
      if (isOver()) return slice(String(targetKey));
    }
    return slice(null);
  };
}
