import type { AuditNote } from "../../../../domain/audit.ts";
import { jobEvent } from "../../../../domain/events/other-events.ts";
import {
  jobStartOpensIn,
  mostKeptJobs,
  mostLiveJobs,
  mostStartedJobs,
} from "../../../../domain/job-limits.ts";
import { startedJob } from "../../../../domain/job.ts";
import type { NewJob } from "../../../../domain/job.ts";
import type { CreateJobResult, Idempotency } from "../../../store.ts";
import { occupiedBy } from "../../tables/job-table.ts";
import type { Context } from "../context.ts";

export function createJob(context: Context) {
  const { clock, accounts, targets, schedules, jobs, audit, events, idempotencyRetentionMs } =
    context;

  function firstAnswer(
    accountKey: number,
    { key, fingerprint }: Idempotency,
  ): CreateJobResult | undefined {
    const used = jobs.byIdempotencyKey(accountKey, key);
    const isKept =
      used !== undefined && used.job.creationTime + idempotencyRetentionMs > clock.now();
    if (!isKept) return undefined;
    return used.fingerprint === fingerprint
      ? { kind: "repeated", job: used.job }
      : { kind: "key-reused" };
  }

  return (order: NewJob, idempotency: Idempotency | null, note: AuditNote): CreateJobResult => {
    const accountKey = accounts.keyOf(order.accountId);
    if (accountKey === undefined) return { kind: "no-target" };
    const repeated = idempotency === null ? undefined : firstAnswer(accountKey, idempotency);
    if (repeated !== undefined) return repeated;
    const { targetId } = order.filter;
    if (targetId !== null && targets.keyOf(accountKey, targetId) === undefined) {
      return { kind: "no-target" };
    }
    if (order.removesTarget && schedules.areFor(accountKey, targetId!)) {
      return { kind: "has-schedules" };
    }
    const occupant = jobs.occupant(accountKey, occupiedBy(order));
    if (occupant !== undefined) return { kind: "busy", jobId: occupant };
    if (jobs.liveCount(accountKey, mostLiveJobs) >= mostLiveJobs) return { kind: "too-many" };
    const now = clock.now();
    const opensInMs = jobStartOpensIn(jobs.newest(accountKey, mostStartedJobs)?.creationTime, now);
    if (opensInMs > 0) return { kind: "too-soon", opensInMs };
    const job = startedJob(order, now);
    jobs.insert(accountKey, job, idempotency);
    jobs.removeOld(accountKey, mostKeptJobs);
    audit.write(note);
    events.tell(accountKey, { type: "job.started", targetId }, () =>
      jobEvent("job.started", job, now),
    );
    return { kind: "created", job };
  };
}
