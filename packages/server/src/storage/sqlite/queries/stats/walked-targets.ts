import type { WalkRequest } from "../../../store.ts";
import type { Row } from "../../rows/rows.ts";
import type { ReadingContext } from "./reading-context.ts";

export interface WalkedTarget {
  readonly targetKey: number;
  readonly targetId: string;
}

const targetsAtATime = 100;

/**
 * The targets of a walk in the order of their ids, from one of them on. Includes removed targets: their dead
 * letters stay on record until they expire.
 */
export function walkedTargets({ db }: ReadingContext) {
  const live = "SELECT account_key FROM accounts WHERE account_id = ? AND removal_time IS NULL";
  const selectOne = db.prepare(
    `SELECT target_key, target_id FROM targets WHERE account_key = (${live}) AND target_id = ?`,
  );
  const selectSome = db.prepare(
    `SELECT target_key, target_id FROM targets WHERE account_key = (${live}) AND target_id > ?
     ORDER BY target_id LIMIT ${targetsAtATime}`,
  );
  const read = (row: Row): WalkedTarget => ({
    targetKey: row["target_key"] as number,
    targetId: row["target_id"] as string,
  });

  function* all(accountId: string, from: string | null): Generator<WalkedTarget> {
    if (from !== null) yield* selectOne.all(accountId, from).map(read);
    let after = from ?? "";
    for (;;) {
      const found = selectSome.all(accountId, after).map(read);
      yield* found;
      if (found.length < targetsAtATime) return;
      after = found.at(-1)!.targetId;
    }
  }

  return ({ accountId, targetId }: WalkRequest, from: string | null): Iterable<WalkedTarget> =>
    targetId === null ? all(accountId, from) : selectOne.all(accountId, targetId).map(read);
}
