import type { Caller } from "../../domain/access.ts";
import { mostLiveJobs, mostStartedJobs } from "../../domain/job-limits.ts";
import type { Job, JobOrder } from "../../domain/job.ts";
import { isScheduleText, scheduleIdIn } from "../../domain/message-options.ts";
import { codes, RequestLimited, RequestRefused } from "../../domain/refusals.ts";
import type { Problem } from "../../domain/refusals.ts";
import type { Random } from "../../platform/random.ts";
import type { CreateJobResult, Idempotency, Store } from "../../storage/store.ts";
import { auditNote, cut } from "../audit/audit-note.ts";
import type { DeliveryControl } from "../delivery/delivery-control.ts";
import { keyReused } from "../messages/idempotency.ts";
import { targetHasSchedules } from "../targets/target-view.ts";

export interface StartJobOptions {
  readonly store: Pick<Store, "createJob">;
  readonly delivery: Pick<DeliveryControl, "noteJob">;
  readonly random: Random;
  readonly newJobId: () => string;
}

export interface JobStart {
  readonly idempotency: Idempotency | null;
  /** What to say if there is no such target. */
  readonly noTarget: (targetId: string) => Problem;
}

export interface CreatedJob {
  readonly job: Job;
  /** True if the same request came before and this call created nothing. */
  readonly repeated: boolean;
}

/** Creates the job, and tells the engine of it. */
export async function startJob(
  { store, delivery, random, newJobId }: StartJobOptions,
  caller: Caller,
  order: JobOrder,
  { idempotency, noTarget }: JobStart,
): Promise<CreatedJob> {
  const { accountId, actor } = caller;
  const { targetId, labels } = order.filter;
  const scheduleId = scheduleIdIn(labels);
  const ownLabels = labels.filter((label) => !isScheduleText(label));
  const jobId = newJobId();
  const note = auditNote(random, caller, {
    action: "job.started",
    accountId,
    subjectId: jobId,
    detail: {
      ...{ action: order.action, targetId, labels: ownLabels.map((label) => cut(label, 40)) },
      ...(scheduleId !== undefined && { scheduleId }),
      note: order.note === null ? null : cut(order.note, 200),
      ...(order.removesTarget && { removesTarget: true }),
    },
  });
  const result = await store.createJob({ ...order, jobId, accountId, actor }, idempotency, note);
  if (result.kind === "created" || result.kind === "repeated") {
    if (result.kind === "created") delivery.noteJob();
    return { job: result.job, repeated: result.kind === "repeated" };
  }
  if (result.kind === "too-soon") throw new RequestLimited(result.opensInMs, tooSoon);
  throw new RequestRefused(problemOf(result, targetId, noTarget));
}

function problemOf(
  result: Exclude<CreateJobResult, { readonly kind: "created" | "repeated" | "too-soon" }>,
  targetId: string | null,
  noTarget: JobStart["noTarget"],
): Problem {
  if (result.kind === "busy") return busy(result.jobId, targetId);
  if (result.kind === "key-reused") return keyReused;
  if (result.kind === "has-schedules") return targetHasSchedules;
  return result.kind === "too-many" ? tooMany : noTarget(targetId!);
}

function busy(jobId: string, targetId: string | null): Problem {
  const other =
    targetId === null
      ? `The job ${jobId} names no target either, and has not ended: an account has one such job at a time.`
      : `The job ${jobId} works on this target and has not ended.`;
  return {
    code: codes.targetHasJob,
    message: `${other} Wait until it ends, or stop it with POST /v1/jobs/${jobId}/stop.`,
  };
}

const tooMany: Problem = {
  code: codes.tooManyJobs,
  message: `This account has ${mostLiveJobs} jobs that have not ended, as many as it may have. Wait until one of them ends, or stop one.`,
};

const tooSoon: Problem = {
  code: codes.tooManyRequests,
  message: `This account has started ${mostStartedJobs} jobs within a minute, as many as it may. Wait for as long as Retry-After says. One job with a wider filter does the work of many.`,
};
