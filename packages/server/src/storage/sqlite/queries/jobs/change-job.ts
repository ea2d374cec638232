import type { AuditNote } from "../../../../domain/audit.ts";
import { jobEndedNote } from "../../../../domain/job-notes.ts";
import { changedJob } from "../../../../domain/job-steps.ts";
import type { JobChange } from "../../../../domain/job-steps.ts";
import type { ChangeJobResult, JobRef } from "../../../store.ts";
import type { Context } from "../context.ts";
import { keepJob } from "./keep-job.ts";

export function changeJob(context: Context) {
  const { clock, jobs } = context;
  const keep = keepJob(context);
  return (
    ref: JobRef,
    change: JobChange,
    ended: Pick<AuditNote, "entryId" | "actor" | "requestId">,
  ): ChangeJobResult => {
    const stored = jobs.find(ref);
    if (stored === undefined) return { kind: "not-found" };
    const job = changedJob(stored.job, change, clock.now());
    if (job === undefined) return { kind: "ended", job: stored.job };
    keep(stored, job, () => ({ ...jobEndedNote(job, ended.entryId), ...ended }));
    return { kind: "changed", job };
  };
}
