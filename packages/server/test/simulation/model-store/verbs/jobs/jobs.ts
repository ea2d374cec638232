import type { AuditNote } from "../../../../../src/domain/audit.ts";
import { jobEndedNote } from "../../../../../src/domain/job-notes.ts";
import { changedJob } from "../../../../../src/domain/job-steps.ts";
import type { JobChange } from "../../../../../src/domain/job-steps.ts";
import {
  jobStartOpensIn,
  mostKeptJobs,
  mostLiveJobs,
  mostStartedJobs,
} from "../../../../../src/domain/job-limits.ts";
import { isLive, startedJob } from "../../../../../src/domain/job.ts";
import type { Job, NewJob } from "../../../../../src/domain/job.ts";
import type {
  ChangeJobResult,
  CreateJobResult,
  Holder,
  Idempotency,
  JobLook,
  JobLookRequest,
  JobRef,
} from "../../../../../src/storage/store.ts";
import { liveAccount } from "../../database-state.ts";
import type { Context, DatabaseState } from "../../database-state.ts";
import { teller } from "../events/tell.ts";
import { isMatch, nextPlaces } from "./walk.ts";

/** Whether this membership has not ended. */
export function isMember({ memberships }: DatabaseState, { nodeId, epoch }: Holder): boolean {
  return memberships.get(epoch)?.nodeId === nodeId;
}

export function jobVerbs(context: Context) {
  const { state, node } = context;
  const tell = teller(context);
  const { clock, targets, jobs, schedules, memberships, auditLog } = state;

  function firstAnswer(
    accountId: string,
    { key, fingerprint }: Idempotency,
  ): CreateJobResult | undefined {
    const now = clock.now();
    const used = jobs
      .ofAccount(accountId, now)
      .findLast(({ idempotency }) => idempotency?.key === key);
    const isKept = used !== undefined && used.job.creationTime + node.idempotencyRetentionMs > now;
    if (!isKept) return undefined;
    return used.idempotency!.fingerprint === fingerprint
      ? { kind: "repeated", job: used.job }
      : { kind: "key-reused" };
  }

  return {
    createJob(order: NewJob, idempotency: Idempotency | null, note: AuditNote): CreateJobResult {
      const { accountId, filter } = order;
      if (liveAccount(state, accountId) === undefined) return { kind: "no-target" };
      const repeated = idempotency === null ? undefined : firstAnswer(accountId, idempotency);
      if (repeated !== undefined) return repeated;
      const { targetId } = filter;
      if (targetId !== null && targets.live({ accountId, targetId }) === undefined) {
        return { kind: "no-target" };
      }
      if (order.removesTarget && schedules.hasTarget(accountId, targetId!)) {
        return { kind: "has-schedules" };
      }
      const live = jobs.ofAccount(accountId, clock.now()).filter(({ job }) => isLive(job.state));
      const occupant = live.find(({ job }) => job.filter.targetId === targetId);
      if (occupant !== undefined) return { kind: "busy", jobId: occupant.job.jobId };
      if (live.length >= mostLiveJobs) return { kind: "too-many" };
      const earlier = jobs.ofAccount(accountId, clock.now()).at(-mostStartedJobs);
      const opensInMs = jobStartOpensIn(earlier?.job.creationTime, clock.now());
      if (opensInMs > 0) return { kind: "too-soon", opensInMs };
      const job = startedJob(order, clock.now());
      auditLog.write(clock.now(), note);
      jobs.add(job, idempotency);
      jobs.removeOld(accountId, mostKeptJobs);
      tell.jobStarted(job);
      return { kind: "created", job };
    },

    lookForJob({ order, time, after, sample }: JobLookRequest): JobLook {
      const { places, isEnd } = nextPlaces(state, order, after);
      const found = places.filter(({ stored }) => isMatch(state, order, time, stored));
      return {
        count: found.length,
        sample: found.slice(0, sample).map(({ stored }) => stored.message),
        lookedUntil: isEnd ? null : places.at(-1)!.cursor,
      };
    },

    getJob: (ref: JobRef): Job | undefined => jobs.find(ref, clock.now())?.job,

    listJobs: (
      accountId: string,
      { after, limit }: { readonly after: string | null; readonly limit: number },
    ): Job[] =>
      jobs
        .ofAccount(accountId, clock.now())
        .map(({ job }) => job)
        .filter(({ jobId }) => after === null || jobId < after)
        .toSorted((one, other) => (one.jobId > other.jobId ? -1 : 1))
        .slice(0, limit),

    changeJob(
      ref: JobRef,
      change: JobChange,
      ended: Pick<AuditNote, "entryId" | "actor" | "requestId">,
    ): ChangeJobResult {
      const now = clock.now();
      const kept = jobs.find(ref, now);
      if (kept === undefined) return { kind: "not-found" };
      const job = changedJob(kept.job, change, now);
      if (job === undefined) return { kind: "ended", job: kept.job };
      if (!isLive(job.state)) {
        auditLog.write(now, { ...jobEndedNote(job, ended.entryId), ...ended });
      }
      const before = kept.job;
      jobs.update(kept, job, node.retentionMs);
      tell.job(before, job);
      return { kind: "changed", job };
    },

    takeJobs(holder: Holder, limit: number): readonly JobRef[] {
      if (!isMember(state, holder)) return [];
      const isFree = (epoch: number | null): boolean => epoch === null || !memberships.has(epoch);
      const running = jobs.all().filter(({ job }) => job.state === "RUNNING");
      const free = running.filter((kept) => isFree(kept.holder)).slice(0, limit);
      for (const kept of free) kept.holder = holder.epoch;
      return running
        .filter((kept) => kept.holder === holder.epoch)
        .map(({ job: { accountId, jobId } }) => ({ accountId, jobId }));
    },
  };
}
