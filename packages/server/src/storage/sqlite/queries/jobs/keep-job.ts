import type { AuditNote } from "../../../../domain/audit.ts";
import { jobChangeType, jobEvent } from "../../../../domain/events/other-events.ts";
import { isLive } from "../../../../domain/job.ts";
import type { Job } from "../../../../domain/job.ts";
import type { StoredJob } from "../../tables/job-table.ts";
import type { Context } from "../context.ts";

/** The end of a small job leaves nothing for `removeExpired` to clear away. */
const fewMessages = 500;

/** Writes a job after a change. If the change is its end, the note goes into the audit log. */
export function keepJob({ clock, jobs, jobMessages, audit, events }: Context) {
  function tell({ accountKey, job: before }: StoredJob, job: Job): void {
    const type = jobChangeType(before, job);
    if (type === undefined) return;
    const { targetId } = job.filter;
    events.tell(accountKey, { type, targetId }, () => jobEvent(type, job, clock.now()));
  }

  return (stored: StoredJob, job: Job, endNote: () => AuditNote): void => {
    if (job === stored.job) return;
    jobs.update(stored, job);
    tell(stored, job);
    if (isLive(job.state)) return;
    audit.write(endNote());
    const removed = jobMessages.remove(stored.jobKey, fewMessages);
    if (removed < fewMessages) jobs.setEmptied(stored.jobKey);
  };
}
