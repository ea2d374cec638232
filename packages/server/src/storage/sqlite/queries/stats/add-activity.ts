import { activitySpans, addCounts } from "../../../../domain/activity.ts";
import type { ActivityAddition, ActivityCounts } from "../../../../domain/activity.ts";
import type { Context } from "../context.ts";

/** In place of a target: all targets of the account together. */
export const allTargets = 0;

export function addActivity({ db, accounts }: Context) {
  const select = db.prepare(
    `SELECT counts FROM activity
     WHERE account_key = ? AND target_key = ? AND span = ? AND time = ?`,
  );
  const write = db.prepare(
    `INSERT INTO activity (account_key, target_key, span, time, counts) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET counts = excluded.counts`,
  );
  return (additions: readonly ActivityAddition[]): void => {
    for (const { accountId, targetKey, span, time, counts } of additions) {
      const accountKey = accounts.keyOf(accountId);
      // The account was removed since.
      if (accountKey === undefined) continue;
      const row = [accountKey, targetKey ?? allTargets, activitySpans.indexOf(span), time] as const;
      const before = select.get(...row)?.["counts"] as string | undefined;
      const sum = before === undefined ? counts : addCounts(readCounts(before), counts);
      write.run(...row, JSON.stringify(sum));
    }
  };
}

export function readCounts(text: string): ActivityCounts {
  return JSON.parse(text) as number[];
}
