import type { Holder, JobRef } from "../../../store.ts";
import type { Row } from "../../rows/rows.ts";
import type { Context } from "../context.ts";

export function takeJobs({ db, jobBook }: Context) {
  const select = db.prepare(
    `SELECT job_key, account_id, job_id FROM jobs CROSS JOIN accounts USING (account_key)
     WHERE running = 1 ORDER BY job_key`,
  );
  return (holder: Holder, limit: number): readonly JobRef[] => {
    if (!jobBook.isMember(holder)) return [];
    let left = limit;
    const refs: JobRef[] = [];
    for (const row of select.all() as Row[]) {
      const jobKey = row["job_key"] as number;
      if (!jobBook.holds(jobKey)) {
        if (left-- <= 0) continue;
        jobBook.take(jobKey);
      }
      refs.push({ accountId: row["account_id"] as string, jobId: row["job_id"] as string });
    }
    return refs;
  };
}
