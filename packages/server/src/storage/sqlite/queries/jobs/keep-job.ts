import type { AuditNote } from "../../../../domain/audit.ts";
import { isLive } from "../../../../domain/job.ts";
import type { Job } from "../../../../domain/job.ts";
import type { StoredJob } from "../../tables/job-table.ts";
import type { Context } from "../context.ts";

/** The end of a small job leaves nothing for `removeExpired` to clear away. */
const fewMessages = 500;

/** Writes a job after a change. If the change is its end, the note goes into the audit log. */
export function keepJob({ jobs, jobMessages, audit }: Context) {
  return (stored: StoredJob, job: Job, endNote: () => AuditNote): void => {
    if (job === stored.job) return;
    jobs.update(stored, job);
    if (isLive(job.state)) return;
    audit.write(endNote());
    const removed = jobMessages.remove(stored.jobKey, fewMessages);
    if (removed < fewMessages) jobs.setEmptied(stored.jobKey);
  };
}
