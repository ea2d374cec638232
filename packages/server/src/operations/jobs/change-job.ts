import { allows, leastScope } from "../../domain/access.ts";
import type { Caller } from "../../domain/access.ts";
import type { JobChange } from "../../domain/job-steps.ts";
import type { Job } from "../../domain/job.ts";
import { codes, RequestRefused } from "../../domain/refusals.ts";
import type { Random } from "../../platform/random.ts";
import type { Store } from "../../storage/store.ts";
import { auditEntryOf } from "../audit/audit-note.ts";
import type { DeliveryControl } from "../delivery/delivery-control.ts";
import { jobNotFound, jobRef } from "./job-ref.ts";

export interface ChangeJobOptions {
  readonly store: Pick<Store, "changeJob" | "getJob">;
  readonly delivery: Pick<DeliveryControl, "noteJob">;
  readonly random: Random;
}

type ChangeJob = (options: ChangeJobOptions, caller: Caller, jobId: string) => Promise<Job>;

/** After it, the job changes nothing more. */
export const stopJob: ChangeJob = (options, caller, jobId) =>
  changeJob(options, caller, jobId, { kind: "stop" });

/** A job that is paused already stays so, and that is no error. The same goes for resuming. */
export const pauseJob: ChangeJob = (options, caller, jobId) =>
  changeJob(options, caller, jobId, { kind: "pause" });

export const resumeJob: ChangeJob = (options, caller, jobId) =>
  changeJob(options, caller, jobId, { kind: "resume" });

export function setJobRate(
  options: ChangeJobOptions,
  caller: Caller,
  jobId: string,
  ratePerSecond: number,
): Promise<Job> {
  return changeJob(options, caller, jobId, { kind: "set-rate", ratePerSecond });
}

async function changeJob(
  { store, delivery, random }: ChangeJobOptions,
  caller: Caller,
  jobId: string,
  change: JobChange,
): Promise<Job> {
  await checkScope(store, caller, jobId, change);
  const entry = auditEntryOf(random, caller);
  const result = await store.changeJob(jobRef(caller, jobId), change, entry);
  if (result.kind === "not-found") throw new RequestRefused(jobNotFound);
  if (result.kind === "ended") {
    throw new RequestRefused({
      code: codes.jobEnded,
      message: `The job is ${result.job.state} and changes no more. A new job would meet everything that matches then.`,
    });
  }
  if (change.kind === "resume") delivery.noteJob();
  return result.job;
}

/**
 * Who may change messages can halt a job that removes its target, or that makes runs of a schedule, but not bring it
 * about.
 */
async function checkScope(
  store: Pick<Store, "getJob">,
  caller: Caller,
  jobId: string,
  { kind }: JobChange,
): Promise<void> {
  if (kind === "stop" || kind === "pause" || allows(caller.scopes, "writeAll")) return;
  const job = await store.getJob(jobRef(caller, jobId));
  const isBackfill = job?.action === "backfill";
  if (!isBackfill && job?.removesTarget !== true) return;
  const what = isBackfill ? "makes runs of a schedule" : "removes its target";
  throw new RequestRefused({
    code: codes.insufficientScope,
    message: `This job ${what}. To resume it or to change its rate, use a credential with the scope ${leastScope.writeAll}.`,
  });
}
