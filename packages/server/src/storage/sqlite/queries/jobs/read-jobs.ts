import type { Job } from "../../../../domain/job.ts";
import type { JobRef } from "../../../store.ts";
import { readJob } from "../../tables/job-table.ts";
import type { Context } from "../context.ts";

export function getJob({ jobs }: Context) {
  return (ref: JobRef): Job | undefined => jobs.find(ref)?.job;
}

export function listJobs({ db, clock, accounts }: Context) {
  const select = db.prepare(
    `SELECT job FROM jobs
     WHERE account_key = ?1 AND (?2 IS NULL OR job_id < ?2)
       AND (expiration_time IS NULL OR expiration_time > ?3)
     ORDER BY job_id DESC LIMIT ?4`,
  );
  return (accountId: string, page: { after: string | null; limit: number }): Job[] => {
    const accountKey = accounts.keyOf(accountId);
    if (accountKey === undefined) return [];
    return select.all(accountKey, page.after, clock.now(), page.limit).map(readJob);
  };
}
