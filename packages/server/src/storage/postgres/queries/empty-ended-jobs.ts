import type { Connections } from "../connections/connections.ts";

/** How many jobs one statement looks at. */
const jobsAtATime = 100;

/**
 * Removes what ended jobs have noted about messages. One node at a time works on a job. All rows of the jobs
 * are gone once there are fewer than `limit`.
 */
export async function emptyEndedJobs(
  { query }: Connections,
  limit: number,
): Promise<{ readonly removed: number; readonly isDone: boolean }> {
  const [row] = await query({
    name: "empty-ended-jobs",
    text: `
      WITH ended AS MATERIALIZED (
        SELECT account_id, job_id FROM jobs WHERE occupies IS NULL AND NOT emptied
        LIMIT $2 FOR UPDATE SKIP LOCKED
      ), left_over AS MATERIALIZED (
        SELECT m.account_id, m.job_id, m.message_id FROM ended e CROSS JOIN LATERAL (
          SELECT account_id, job_id, message_id FROM job_messages j
          WHERE j.account_id = e.account_id AND j.job_id = e.job_id LIMIT $1) AS m
        LIMIT $1
      ), gone AS (
        DELETE FROM job_messages j USING left_over l
        WHERE j.account_id = l.account_id AND j.job_id = l.job_id AND j.message_id = l.message_id
      ), emptied AS (
        UPDATE jobs j SET emptied = true FROM ended e
        WHERE j.account_id = e.account_id AND j.job_id = e.job_id
          AND (SELECT count(*) FROM left_over) < $1
      )
      SELECT (SELECT count(*) FROM left_over)::int AS removed, (SELECT count(*) FROM ended)::int AS jobs`,
    values: [limit, jobsAtATime],
  });
  const { removed, jobs } = row as { readonly removed: number; readonly jobs: number };
  return { removed, isDone: removed < limit && jobs < jobsAtATime };
}
