import type { Run } from "../../connections/connections.ts";

/**
 * Counts a schedule of the account that was created or removed. Answers with how many it has then. The last lock that
 * a transaction takes: the others that create or remove schedules of the account wait until its commit.
 */
export async function countSchedules(run: Run, accountId: string, change: 1 | -1): Promise<number> {
  const [row] = await run({
    name: "count-schedules",
    text: `INSERT INTO schedule_counts AS c (account_id, count) VALUES ($1, $2)
      ON CONFLICT (account_id) DO UPDATE SET count = c.count + excluded.count RETURNING count`,
    values: [accountId, change],
  });
  return row!["count"] as number;
}
