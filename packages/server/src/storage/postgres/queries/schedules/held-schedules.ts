import type { Instant } from "../../../../domain/instant.ts";
import { heldLookTime } from "../../../held-schedules.ts";
import type { Connections, Run } from "../../connections/connections.ts";
import type { OneOfMany } from "./lock-schedules.ts";

/** How many schedules one look releases. */
const mostReleasedAtOnce = 500;

/**
 * Holds locked schedules back until their account is resumed. Nothing but the time of the next look changes. The lock
 * of the account lasts until the commit: whoever resumes it waits, and then finds what is held. Waits for nobody: what
 * somebody resumes just now stays due.
 */
export async function holdSchedules(run: Run, heldBack: readonly OneOfMany[]): Promise<void> {
  if (heldBack.length === 0) return;
  await run({
    name: "hold-schedules",
    text: `
      WITH idle AS MATERIALIZED (
        SELECT account_id FROM accounts WHERE account_id = ANY ($1::text[])
          AND (suspension_time IS NOT NULL OR removal_time IS NOT NULL)
        FOR SHARE SKIP LOCKED
      )
      UPDATE schedule_states h SET look_time = $3 FROM idle
      WHERE h.schedule_key = ANY ($2::bigint[]) AND h.account_id = idle.account_id`,
    values: [
      [...new Set(heldBack.map(({ schedule }) => schedule.accountId))],
      heldBack.map(({ key }) => key),
      heldLookTime,
    ],
  });
}

/**
 * Releases some schedules of an account that was resumed, and waits for nobody. One that is locked just now is released
 * the next time. The account is forgotten once nothing of it is held. Answers whether more of it is.
 */
export function releaseSchedules({ transaction }: Pick<Connections, "transaction">) {
  /** The account that had the last turn. */
  let reached = "";

  return (now: Instant): Promise<boolean> =>
    transaction(async (run) => {
      const [row] = await run({
        name: "lock-resumed-account",
        text: `SELECT account_id FROM resumed_accounts
          ORDER BY account_id <= $1, account_id LIMIT 1 FOR UPDATE SKIP LOCKED`,
        values: [reached],
      });
      if (row === undefined) return false;
      reached = row["account_id"];
      await run({
        name: "release-schedules",
        text: `UPDATE schedule_states h SET look_time = $2 FROM (
            SELECT schedule_key FROM schedule_states
            WHERE account_id = $1 AND look_time = $3 LIMIT $4 FOR UPDATE SKIP LOCKED) AS part
          WHERE h.schedule_key = part.schedule_key`,
        values: [reached, now, heldLookTime, mostReleasedAtOnce],
      });
      const forgotten = await run({
        name: "forget-released-account",
        text: `DELETE FROM resumed_accounts WHERE account_id = $1 AND NOT EXISTS (
            SELECT 1 FROM schedule_states h WHERE h.account_id = $1 AND h.look_time = $2)
          RETURNING account_id`,
        values: [reached, heldLookTime],
      });
      return forgotten.length === 0;
    });
}
