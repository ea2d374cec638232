import type { Job } from "../../../../domain/job.ts";
import type { JobRef } from "../../../store.ts";
import { readJob } from "../../rows/job-rows.ts";
import type { Context } from "../context.ts";

const isThere = "(expiration_time IS NULL OR expiration_time > (SELECT now_ms()))";

/** Sorts behind every id of a job. */
const behindEveryJob = "\u{10ffff}";

export function getJob({ connections }: Context) {
  return async ({ accountId, jobId }: JobRef): Promise<Job | undefined> => {
    const [row] = await connections.query(
      {
        name: "get-job",
        text: `SELECT job FROM jobs WHERE account_id = $1 AND job_id = $2 AND ${isThere}`,
        values: [accountId, jobId],
      },
      accountId,
    );
    return row && readJob(row);
  };
}

export function listJobs({ connections }: Context) {
  return async (
    accountId: string,
    { after, limit }: { readonly after: string | null; readonly limit: number },
  ): Promise<Job[]> => {
    const rows = await connections.query(
      {
        name: "list-jobs",
        text: `SELECT job FROM jobs WHERE account_id = $1 AND job_id < $2 AND ${isThere}
          ORDER BY job_id DESC LIMIT $3`,
        values: [accountId, after ?? behindEveryJob, limit],
      },
      accountId,
    );
    return rows.map(readJob);
  };
}
