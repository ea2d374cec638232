import type { Instant } from "../../../../domain/instant.ts";
import type { Job } from "../../../../domain/job.ts";
import type { JobStepRequest } from "../../../store.ts";
import type { Run } from "../../connections/connections.ts";
import { tryGate } from "../../quotas/account-gate.ts";
import { readJob } from "../../rows/job-rows.ts";
import { isMemberAlive } from "../is-member-alive.ts";

export interface HeldJob {
  readonly job: Job;
  readonly now: Instant;
  /** Whether the job needs a target that was removed. */
  readonly isTargetRemoved: boolean;
  readonly isSuspended: boolean;
}

/**
 * Undefined: the holder does not have the job. The lock makes stops and other members wait for the step, and
 * the gate makes a suspension wait for it. `busy`: the gate is closed. Whoever closed it may have much to do, and the steps of all
 * accounts share few connections.
 */
export async function lockHeldJob(
  run: Run,
  { accountId, jobId, holder }: JobStepRequest,
): Promise<HeldJob | "busy" | undefined> {
  if (!(await tryGate(run, accountId))) return "busy";
  const [row] = await run({
    name: "lock-held-job",
    text: `SELECT j.job, now_ms() AS now,
        (SELECT suspension_time FROM accounts WHERE account_id = $1) IS NOT NULL AS is_suspended,
        t.target_key IS NULL OR t.removal_time IS NOT NULL AS is_removed, t.creation_time
      FROM jobs j
      LEFT JOIN targets t ON t.account_id = j.account_id AND t.target_id = j.occupies
      WHERE j.account_id = $1 AND j.job_id = $2 AND j.running AND j.epoch = $3
        AND ${isMemberAlive("$3")}
      FOR UPDATE OF j`,
    values: [accountId, jobId, holder.epoch],
  });
  if (row === undefined) return undefined;
  const job = readJob(row);
  // Created again since, it is another target under the same id.
  const isGone =
    (row["is_removed"] as boolean) || (row["creation_time"] as number) > job.creationTime;
  // The schedule of a backfill has a target, which may be another by now.
  const needsTarget = job.filter.targetId !== null && job.action !== "backfill";
  const isTargetRemoved = needsTarget && isGone;
  return { job, now: row["now"], isTargetRemoved, isSuspended: row["is_suspended"] };
}
