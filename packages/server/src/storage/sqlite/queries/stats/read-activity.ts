import { activitySpans } from "../../../../domain/activity.ts";
import type { ActivityQuery, StoredActivity } from "../../../store.ts";
import { allTargets, readCounts } from "./add-activity.ts";
import type { ReadingContext } from "./reading-context.ts";

export function readActivity({ db }: ReadingContext) {
  const select = db.prepare(
    `SELECT time, counts FROM activity
     WHERE account_key = ? AND target_key = ? AND span = ? AND time >= ? AND time < ?
     ORDER BY time`,
  );
  const selectAccount = db.prepare(
    "SELECT account_key FROM accounts WHERE account_id = ? AND removal_time IS NULL",
  );
  const selectTarget = db.prepare(
    "SELECT target_key FROM targets WHERE account_key = ? AND target_id = ?",
  );
  return ({ accountId, targetId, span, from, until }: ActivityQuery): StoredActivity[] => {
    const accountKey = selectAccount.get(accountId)?.["account_key"] as number | undefined;
    if (accountKey === undefined) return [];
    const targetKey =
      targetId === null
        ? allTargets
        : (selectTarget.get(accountKey, targetId)?.["target_key"] as number | undefined);
    if (targetKey === undefined) return [];
    return select
      .all(accountKey, targetKey, activitySpans.indexOf(span), from, until)
      .map((row) => ({
        time: row["time"] as number,
        counts: readCounts(row["counts"] as string),
      }));
  };
}
