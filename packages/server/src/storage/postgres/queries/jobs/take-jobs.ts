import type { Holder, JobRef } from "../../../store.ts";
import type { WorkContext } from "../context.ts";
import { isMemberAlive } from "../is-member-alive.ts";

/**
 * Goes from membership to membership, not from job to job: memberships are few. A job that is locked is left
 * for the next time. A step is under way, or somebody changes the job.
 */
const takeStatement = `
  WITH RECURSIVE held AS (
    (SELECT epoch FROM jobs WHERE running AND epoch >= 0 ORDER BY epoch LIMIT 1)
    UNION ALL
    SELECT (SELECT j.epoch FROM jobs j WHERE j.running AND j.epoch > held.epoch
      ORDER BY j.epoch LIMIT 1)
    FROM held WHERE held.epoch IS NOT NULL
  ), free AS MATERIALIZED (
    SELECT j.account_id, j.job_id FROM held
    CROSS JOIN LATERAL (
      SELECT account_id, job_id FROM jobs
      WHERE running AND jobs.epoch = held.epoch
      LIMIT $2 FOR UPDATE SKIP LOCKED) AS j
    WHERE NOT ${isMemberAlive("held.epoch")}
    LIMIT $2
  ), taken AS (
    UPDATE jobs j SET epoch = $1 FROM free f
    WHERE j.account_id = f.account_id AND j.job_id = f.job_id
      AND ${isMemberAlive("$1")}
    RETURNING j.account_id, j.job_id
  )
  SELECT account_id, job_id FROM jobs WHERE running AND epoch = $1 AND ${isMemberAlive("$1")}
  UNION ALL
  SELECT account_id, job_id FROM taken`;

export function takeJobs({ connections }: WorkContext) {
  return async ({ epoch }: Holder, limit: number): Promise<JobRef[]> => {
    const rows = await connections.query({
      name: "take-jobs",
      text: takeStatement,
      values: [epoch, limit],
    });
    return rows.map((row) => ({ accountId: row["account_id"], jobId: row["job_id"] }));
  };
}
