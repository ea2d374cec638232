import type { Job } from "../../../../domain/job.ts";
import type { Holder } from "../../../store.ts";
import type { Run } from "../../connections/connections.ts";
import { arraysOf, namesOf, unnest } from "../../rows/given-columns.ts";
import { changingJobColumns, changingJobValues, metColumns } from "../../rows/job-rows.ts";
import type { MetMessage } from "../../rows/job-rows.ts";
import { isMemberAlive } from "../is-member-alive.ts";

export interface WrittenStep {
  readonly job: Job;
  readonly met: readonly MetMessage[];
  readonly holder: Holder;
  readonly retentionMs: number;
}

const firstMetColumn = 4 + changingJobColumns.length;

const writeStatement = `
  WITH met AS (
    INSERT INTO job_messages AS j (account_id, job_id, ${namesOf(metColumns)})
    SELECT $1, $2, u.* FROM ${unnest(metColumns, "u", firstMetColumn)}
    ON CONFLICT (account_id, job_id, message_id)
      DO UPDATE SET stage = excluded.stage, attempt_count = excluded.attempt_count
  )
  UPDATE jobs SET ${changingJobColumns.map((column, index) => `${column} = $${index + 4}`).join(", ")}
  WHERE account_id = $1 AND job_id = $2 AND ${isMemberAlive("$3")}
  RETURNING job_id`;

/** The last statement of a step. False: the membership has ended meanwhile, and the step must be undone. */
export async function writeStep(
  run: Run,
  { job, met, holder, retentionMs }: WrittenStep,
): Promise<boolean> {
  const written = await run({
    name: "write-job-step",
    text: writeStatement,
    values: [
      ...[job.accountId, job.jobId, holder.epoch],
      ...changingJobValues(job, retentionMs),
      ...arraysOf(metColumns, met),
    ],
  });
  return written.length > 0;
}
