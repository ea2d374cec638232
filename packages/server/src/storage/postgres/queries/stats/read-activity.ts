import { activitySpans } from "../../../../domain/activity.ts";
import type { ActivityQuery, StoredActivity } from "../../../store.ts";
import type { WorkContext } from "../context.ts";
import { allTargets } from "./add-activity.ts";

export function readActivity({ connections }: WorkContext) {
  return async (query: ActivityQuery): Promise<StoredActivity[]> => {
    const { accountId, targetId, span, from, until } = query;
    const rows = await connections.query(
      {
        name: "read-activity",
        text: `
          SELECT time, counts FROM activity
          WHERE account_id = $1 AND span = $3 AND time >= $4 AND time < $5
            AND target_key = (SELECT CASE WHEN $2::text IS NULL THEN ${allTargets}
              ELSE (SELECT target_key FROM targets WHERE account_id = $1 AND target_id = $2) END)
          ORDER BY time`,
        values: [accountId, targetId, activitySpans.indexOf(span), from, until],
      },
      accountId,
    );
    return rows.map((row) => ({ time: row["time"], counts: row["counts"] }));
  };
}
