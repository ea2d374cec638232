import { activitySpans, addCounts, noActivity } from "../../../../domain/activity.ts";
import type { ActivityCounts } from "../../../../domain/activity.ts";
import type { TargetLook, TargetLookRequest } from "../../../store.ts";
import { readCounts } from "./add-activity.ts";
import { beginLook } from "./reading-context.ts";
import type { ReadingContext } from "./reading-context.ts";

/** Counts in the indexes, without a look at the messages. */
export function lookAtTargets(context: ReadingContext) {
  const { db } = context;
  const selectAccount = db.prepare(
    "SELECT account_key FROM accounts WHERE account_id = ? AND removal_time IS NULL",
  );
  const countDue = db.prepare(
    `SELECT count(*) AS count FROM (SELECT 1 FROM messages
     WHERE target_key = ? AND next_delivery_time <= ? LIMIT ?)`,
  );
  const countDead = db.prepare(
    `SELECT count(*) AS count FROM (SELECT 1 FROM messages
     WHERE target_key = ? AND dead_letter_time IS NOT NULL LIMIT ?)`,
  );
  const selectActivity = db.prepare(
    `SELECT counts FROM activity
     WHERE account_key = ? AND target_key = ? AND span = ${activitySpans.indexOf("minute")}
       AND time >= ?`,
  );
  const numberIn = (row: Record<string, unknown> | undefined): number => row!["count"] as number;

  return (request: TargetLookRequest): TargetLook[] => {
    const { accountId, targets, mostDead, dueUntil, activeFrom } = request;
    const isOver = beginLook(context);
    const accountKey = (selectAccount.get(accountId)?.["account_key"] ?? null) as number | null;
    const looks: TargetLook[] = [];
    for (const { targetKey, mostDue } of targets) {
      let activity: ActivityCounts = noActivity();
      for (const row of selectActivity.all(accountKey, targetKey, activeFrom)) {
        activity = addCounts(activity, readCounts(row["counts"] as string));
      }
      looks.push({
        due: numberIn(countDue.get(targetKey, dueUntil, mostDue)),
        dead: numberIn(countDead.get(targetKey, mostDead)),
        activity,
      });
      if (isOver()) break;
    }
    return looks;
  };
}
