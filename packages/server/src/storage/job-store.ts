import type { AuditNote } from "../domain/audit.ts";
import type { JobChange } from "../domain/job-steps.ts";
import type { Job, JobCursor, NewJob } from "../domain/job.ts";
import type { Instant, Message } from "../domain/message.ts";
import type { BackfillSpan } from "../domain/schedules/steps/backfilled.ts";
import type { Holder } from "./delivery-store.ts";
import type { Idempotency } from "./message-store.ts";
import type { ScheduleRef } from "./schedule-store.ts";

export interface JobRef {
  readonly accountId: string;
  readonly jobId: string;
}

export type CreateJobResult =
  | { readonly kind: "created"; readonly job: Job }
  /** The same request has used the idempotency key before. Answers with its job as it is now. */
  | { readonly kind: "repeated"; readonly job: Job }
  | { readonly kind: "key-reused" }
  | { readonly kind: "no-target" }
  /** The job is to remove its target, and recurring schedules make messages for that. */
  | { readonly kind: "has-schedules" }
  /**
   * A job that has not ended works on the same target. Of jobs that name no target, an account has
   * one at a time.
   */
  | { readonly kind: "busy"; readonly jobId: string }
  /** The account has `mostLiveJobs` already. */
  | { readonly kind: "too-many" }
  /** The account has started `mostStartedJobs` a moment ago. */
  | { readonly kind: "too-soon"; readonly opensInMs: number };

export type ChangeJobResult =
  | { readonly kind: "changed"; readonly job: Job }
  | { readonly kind: "not-found" }
  | { readonly kind: "ended"; readonly job: Job };

/** A look at what a job would meet, without a change. */
export interface JobLook {
  /** How many match between the cursor and `lookedUntil`. */
  readonly count: number;
  /** The first of them, at most as many as asked for. */
  readonly sample: readonly Message[];
  /** Null: there is nothing behind it. */
  readonly lookedUntil: JobCursor | null;
}

export interface JobLookRequest {
  readonly order: Omit<NewJob, "jobId" | "actor">;
  /** When the look began: as the creation of a job. */
  readonly time: Instant;
  readonly after: JobCursor | null;
  readonly sample: number;
}

/** Which run times a backfill would make. */
export interface BackfillLookRequest extends ScheduleRef, BackfillSpan {
  readonly sample: number;
}

/** A look at the run times that a backfill would make, without a change. */
export interface BackfillLook {
  /** How many without a run there are between `from` and `lookedUntil`. */
  readonly count: number;
  /** The first of them, at most as many as asked for. */
  readonly sample: readonly Instant[];
  /** Null: there is nothing behind it. */
  readonly lookedUntil: Instant | null;
}

/** One step of a job for its holder. The ids are for audit entries that the step may write. */
export interface JobStepRequest extends JobRef {
  readonly holder: Holder;
  readonly endEntryId: string;
  readonly removalEntryId: string;
}

export type JobStep =
  | {
      readonly kind: "advanced";
      readonly job: Job;
      /** How long there is nothing to do; null: the job has ended or is paused. */
      readonly idleMs: number | null;
      /** The targets that got messages, with the earliest instant of these. */
      readonly planned: readonly PlannedByJob[];
      /** The earliest `notAfter` among the messages that it changed; null: none has one. */
      readonly nextBound: Instant | null;
      /** The target that this step removed. */
      readonly removedTargetKey: number | null;
    }
  /** The job has ended, is paused, or belongs to another membership, or this one has ended. */
  | { readonly kind: "not-held" }
  /** A change of the whole account is under way, which may take long. Nothing has happened: to be tried again. */
  | { readonly kind: "busy" };

export interface PlannedByJob {
  readonly targetKey: number;
  readonly dueAt: Instant;
}

export interface JobStore {
  /** The note is about the start. Ended jobs go that are not among the newest `mostKeptJobs`. */
  createJob(
    job: NewJob,
    idempotency: Idempotency | null,
    note: AuditNote,
  ): Promise<CreateJobResult>;
  /** Looks at a bounded number of messages, or for a bounded time. */
  lookForJob(request: JobLookRequest): Promise<JobLook>;
  /** The same for run times of a schedule. Undefined: there is no such schedule. */
  lookForBackfill(request: BackfillLookRequest): Promise<BackfillLook | undefined>;
  getJob(ref: JobRef): Promise<Job | undefined>;
  /** The newest first, by `jobId`; after `after`. */
  listJobs(
    accountId: string,
    page: { readonly after: string | null; readonly limit: number },
  ): Promise<Job[]>;
  /**
   * Waits for a step that is under way, so after a `stop` nothing more changes. `ended` is for the
   * audit entry about the end, if this is one.
   */
  changeJob(
    ref: JobRef,
    change: JobChange,
    ended: Pick<AuditNote, "entryId" | "actor" | "requestId">,
  ): Promise<ChangeJobResult>;
  /**
   * Running jobs that this membership holds, and up to `limit` that no living membership holds: it
   * holds them from now on.
   */
  takeJobs(holder: Holder, limit: number): Promise<readonly JobRef[]>;
  /**
   * Up to `mostChangesAtOnce` changes of messages, fewer if they take long, are one commit with the
   * job's counters and its place in the walk, and only while the holder has the job. A message has
   * one turn in a job, or two if an attempt was in flight at the first. A backfill makes the messages
   * of run times instead, with the rows of their runs. It waits while another live node has newer
   * time-zone data than this one.
   */
  advanceJob(request: JobStepRequest): Promise<JobStep>;
}
