import type { DatabaseSync } from "node:sqlite";
import type { Instant } from "../../../../domain/message.ts";
import { heldLookTime } from "../../../held-schedules.ts";
import { resumedAccounts } from "../../tables/resumed-accounts.ts";

/** Few, because the store does nothing else meanwhile. */
const mostReleasedAtOnce = 100;

/** Releases some schedules of accounts that were resumed. Answers whether there may be more. */
export function releaseSchedules(db: DatabaseSync) {
  const resumed = resumedAccounts(db);
  const selectAfter = db.prepare(
    "SELECT account_key FROM resumed_accounts WHERE account_key > ? ORDER BY account_key LIMIT 1",
  );
  const release = db.prepare(
    `UPDATE schedules SET look_time = ? WHERE schedule_key IN
       (SELECT schedule_key FROM schedules
        WHERE account_key = ? AND look_time = ${heldLookTime} LIMIT ${mostReleasedAtOnce})`,
  );
  /** The account that had the last turn. */
  let reached = 0;

  return (now: Instant): boolean => {
    const next = selectAfter.get(reached) ?? selectAfter.get(0);
    if (next === undefined) return false;
    reached = next["account_key"] as number;
    if (Number(release.run(now, reached).changes) < mostReleasedAtOnce) resumed.remove(reached);
    return selectAfter.get(0) !== undefined;
  };
}
