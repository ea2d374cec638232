import type { AuditNote } from "../../../../domain/audit.ts";
import { jobEvent } from "../../../../domain/events/other-events.ts";
import {
  jobStartOpensIn,
  mostKeptJobs,
  mostLiveJobs,
  mostStartedJobs,
} from "../../../../domain/job-limits.ts";
import { startedJob } from "../../../../domain/job.ts";
import type { Job, NewJob } from "../../../../domain/job.ts";
import type { CreateJobResult, Idempotency } from "../../../store.ts";
import type { Run } from "../../connections/connections.ts";
import { enterAccount, lockAccount } from "../../quotas/account-gate.ts";
import { changingJobColumns, changingJobValues, occupiedBy, readJob } from "../../rows/job-rows.ts";
import { writeNotes } from "../audit-entries.ts";
import type { Context } from "../context.ts";
import { tellFacts } from "../../events/tell-facts.ts";
import { readClock } from "../read-clock.ts";
import { hasSchedules } from "../targets.ts";

const columns = ["account_id", "job_id", "idempotency_key", "fingerprint", ...changingJobColumns];
const insertStatement = `INSERT INTO jobs (${columns.join(", ")})
  VALUES (${columns.map((_, index) => `$${index + 1}`).join(", ")})`;

/** An account creates one job at a time, so nothing comes between what this call finds and its job. */
export function createJob({ connections, retentionMs, idempotencyRetentionMs }: Context) {
  return (
    order: NewJob,
    idempotency: Idempotency | null,
    note: AuditNote,
  ): Promise<CreateJobResult> =>
    connections.transaction(async (run) => {
      const { accountId, jobId } = order;
      if (!(await enterAccount(run, accountId))) return { kind: "no-target" };
      await lockAccount(run, accountId);
      const now = await readClock(run);
      const since = now - idempotencyRetentionMs;
      const repeated = idempotency && (await findByKey(run, accountId, idempotency, since));
      if (repeated) return repeated;
      if (!(await holdTarget(run, order))) return { kind: "no-target" };
      if (await isTargetOfSchedules(run, order)) return { kind: "has-schedules" };
      const busy = await findOccupant(run, order);
      if (busy !== undefined) return busy;
      if (await hasTooMany(run, accountId)) return { kind: "too-many" };
      const earlier = await findNewest(run, accountId, mostStartedJobs);
      const opensInMs = jobStartOpensIn(earlier?.creationTime, now);
      if (opensInMs > 0) return { kind: "too-soon", opensInMs };
      const job = startedJob(order, now);
      const { key = null, fingerprint = null } = idempotency ?? {};
      await run({
        name: "create-job",
        text: insertStatement,
        values: [accountId, jobId, key, fingerprint, ...changingJobValues(job, retentionMs)],
      });
      await tellFacts(run, [{ accountId, facts: jobEvent("job.started", job, now) }]);
      await removeOld(run, accountId);
      await writeNotes(run, [note]);
      return { kind: "created", job };
    }, order.accountId);
}

/** A key that was first used before `since` can be used again. */
async function findByKey(
  run: Run,
  accountId: string,
  { key, fingerprint }: Idempotency,
  since: number,
): Promise<CreateJobResult | undefined> {
  const [row] = await run({
    name: "find-job-by-key",
    text: `SELECT fingerprint, job FROM jobs WHERE account_id = $1 AND idempotency_key = $2
        AND (expiration_time IS NULL OR expiration_time > (SELECT now_ms()))
      ORDER BY job_id DESC LIMIT 1`,
    values: [accountId, key],
  });
  const job = row && readJob(row);
  if (job === undefined || job.creationTime <= since) return undefined;
  return row!["fingerprint"] === fingerprint ? { kind: "repeated", job } : { kind: "key-reused" };
}

/** Whoever removes the target waits until the job is there. */
async function holdTarget(run: Run, { accountId, filter }: NewJob): Promise<boolean> {
  if (filter.targetId === null) return true;
  const found = await run({
    name: "hold-target-for-job",
    text: `SELECT 1 FROM targets
      WHERE account_id = $1 AND target_id = $2 AND removal_time IS NULL FOR KEY SHARE`,
    values: [accountId, filter.targetId],
  });
  return found.length > 0;
}

/** Asked only for a job that is to remove its target. */
async function isTargetOfSchedules(
  run: Run,
  { accountId, removesTarget, filter }: NewJob,
): Promise<boolean> {
  return removesTarget && (await hasSchedules(run, { accountId, targetId: filter.targetId! }));
}

async function hasTooMany(run: Run, accountId: string): Promise<boolean> {
  const live = await run({
    name: "count-live-jobs",
    text: "SELECT 1 FROM jobs WHERE account_id = $1 AND occupies IS NOT NULL LIMIT $2",
    values: [accountId, mostLiveJobs],
  });
  return live.length >= mostLiveJobs;
}

async function findOccupant(run: Run, order: NewJob): Promise<CreateJobResult | undefined> {
  const [row] = await run({
    name: "find-occupant",
    text: "SELECT job_id FROM jobs WHERE account_id = $1 AND occupies = $2",
    values: [order.accountId, occupiedBy(order)],
  });
  return row && { kind: "busy", jobId: row["job_id"] };
}

/** Of the account's jobs, the newest, the second newest, and so on, from 1. */
async function findNewest(run: Run, accountId: string, position: number): Promise<Job | undefined> {
  const [row] = await run({
    name: "find-newest-job",
    text: "SELECT job FROM jobs WHERE account_id = $1 ORDER BY job_id DESC LIMIT 1 OFFSET $2",
    values: [accountId, position - 1],
  });
  return row && readJob(row);
}

/** A few at a time, for they come one by one. A job that is locked goes the next time. */
async function removeOld(run: Run, accountId: string): Promise<void> {
  await run({
    name: "remove-old-jobs",
    text: `DELETE FROM jobs WHERE account_id = $1 AND job_id = ANY (ARRAY(
        SELECT job_id FROM jobs WHERE account_id = $1 AND emptied AND job_id <
          (SELECT job_id FROM jobs WHERE account_id = $1 ORDER BY job_id DESC LIMIT 1 OFFSET $2)
        ORDER BY job_id LIMIT 100 FOR UPDATE SKIP LOCKED))`,
    values: [accountId, mostKeptJobs - 1],
  });
}
