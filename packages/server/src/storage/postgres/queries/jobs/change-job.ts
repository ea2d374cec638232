import type { AuditNote } from "../../../../domain/audit.ts";
import { jobEndedNote } from "../../../../domain/job-notes.ts";
import { changedJob } from "../../../../domain/job-steps.ts";
import type { JobChange } from "../../../../domain/job-steps.ts";
import { isLive } from "../../../../domain/job.ts";
import type { ChangeJobResult, JobRef } from "../../../store.ts";
import { changingJobColumns, changingJobValues, readJob } from "../../rows/job-rows.ts";
import { writeNotes } from "../audit-entries.ts";
import type { Context } from "../context.ts";
import { tellJobChange } from "./tell-job-change.ts";

const writeStatement = `UPDATE jobs SET ${changingJobColumns
  .map((column, index) => `${column} = $${index + 3}`)
  .join(", ")} WHERE account_id = $1 AND job_id = $2`;

/** The lock waits for a step under way: after a stop, nothing more changes. */
export function changeJob({ connections, retentionMs }: Context) {
  return (
    { accountId, jobId }: JobRef,
    change: JobChange,
    { entryId, actor, requestId }: Pick<AuditNote, "entryId" | "actor" | "requestId">,
  ): Promise<ChangeJobResult> =>
    connections.transaction(async (run) => {
      const [row] = await run({
        name: "lock-job",
        text: `SELECT job, now_ms() AS now FROM jobs WHERE account_id = $1 AND job_id = $2
          AND (expiration_time IS NULL OR expiration_time > (SELECT now_ms())) FOR UPDATE`,
        values: [accountId, jobId],
      });
      if (row === undefined) return { kind: "not-found" };
      const before = readJob(row);
      const job = changedJob(before, change, row["now"]);
      if (job === undefined) return { kind: "ended", job: before };
      if (job === before) return { kind: "changed", job };
      await run({
        name: "change-job",
        text: writeStatement,
        values: [accountId, jobId, ...changingJobValues(job, retentionMs)],
      });
      await tellJobChange(run, before, job, row["now"]);
      if (!isLive(job.state)) {
        await writeNotes(run, [{ ...jobEndedNote(job, entryId), actor, requestId }]);
      }
      return { kind: "changed", job };
    }, accountId);
}
