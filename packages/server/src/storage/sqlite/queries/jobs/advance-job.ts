import { jobEndedNote, targetRemovedByJobNote } from "../../../../domain/job-notes.ts";
import {
  afterStep,
  endedJob,
  idleAfterStep,
  looksForOutcomes,
  planStep,
} from "../../../../domain/job-steps.ts";
import type { StepPlan } from "../../../../domain/job-steps.ts";
import type { Job, StopReason } from "../../../../domain/job.ts";
import type { Instant } from "../../../../domain/message.ts";
import { JobTally } from "../../../job-tally.ts";
import type { JobStep, JobStepRequest } from "../../../store.ts";
import { suspendedStep } from "../../../suspended-step.ts";
import type { StoredJob } from "../../tables/job-table.ts";
import type { StoredSchedule } from "../../tables/schedule-table.ts";
import type { Context } from "../context.ts";
import { removeUnlessScheduled } from "../targets.ts";
import { backfillRuns } from "./backfill.ts";
import { keepJob } from "./keep-job.ts";
import { redriveOutcomes } from "./outcomes.ts";
import { jobTurns } from "./turns.ts";

/** One step of a job. The calls that share its commit come before it or after it, never in between. */
export function advanceJob(context: Context) {
  const { db, clock, accounts, targets, jobs, jobBook, audit } = context;
  const selectTime = db.prepare("SELECT creation_time FROM targets WHERE target_key = ?");
  const turns = jobTurns(context);
  const backfill = backfillRuns(context);
  const lookForOutcomes = redriveOutcomes(context);
  const removeTarget = removeUnlessScheduled(context);
  const keep = keepJob(context);

  /** Null: the job names no target. Undefined: its target is gone, also if another has the same id now. */
  function targetOf({ accountKey, job }: StoredJob): number | null | undefined {
    const { targetId } = job.filter;
    if (targetId === null) return null;
    const targetKey = targets.keyOf(accountKey, targetId);
    if (targetKey === undefined) return undefined;
    const createdAt = selectTime.get(targetKey)!["creation_time"] as number;
    return createdAt > job.creationTime ? undefined : targetKey;
  }

  /** Null: the job makes no runs. Undefined: its schedule is gone, also if another has the same id now. */
  function scheduleOf(job: Job): StoredSchedule | null | undefined {
    return job.action === "backfill" ? backfill.scheduleOf(job) : null;
  }

  /** The job after what the plan allows. */
  function follow(
    kept: StoredJob,
    schedule: StoredSchedule | null,
    plan: StepPlan,
    now: Instant,
    tally: JobTally,
  ): Job {
    const { jobKey, job } = kept;
    if (plan.kind === "wait") return job;
    if (looksForOutcomes(job, now)) lookForOutcomes(jobKey, tally);
    let cursor;
    if (plan.kind === "walk") {
      cursor =
        schedule === null
          ? turns.meet(kept, { ...plan, now, tally })
          : backfill.make(schedule, job, plan.limit, tally);
    }
    if (plan.kind === "second-turn") turns.goBack(kept, { ...plan, now, tally }, plan.isLast);
    return afterStep(job, plan, tally.effect(cursor), now);
  }

  return (request: JobStepRequest): JobStep => {
    const kept = jobs.find(request);
    if (kept?.job.state !== "RUNNING") return { kind: "not-held" };
    const { jobKey, accountKey, job } = kept;
    if (!jobBook.isMember(request.holder) || !jobBook.holds(jobKey)) return { kind: "not-held" };
    if (accounts.isSuspended(accountKey)) return suspendedStep(job);
    const now = clock.now();
    const schedule = scheduleOf(job);
    const targetKey = targetOf(kept);
    const tally = new JobTally();
    const fail = (reason: StopReason): Job => endedJob(job, "FAILED", reason, now);
    let after: Job;
    if (schedule === undefined) after = fail("SCHEDULE_REMOVED");
    // A schedule that is there has a target, which may be another by now.
    else if (targetKey === undefined && schedule === null) after = fail("TARGET_REMOVED");
    else after = follow(kept, schedule, planStep(job, now), now, tally);
    let removedTargetKey: number | null = null;
    if (after.state === "DONE" && job.removesTarget) {
      const target = { accountKey, targetKey: targetKey!, targetId: job.filter.targetId! };
      if (removeTarget(target) === undefined) {
        removedTargetKey = targetKey!;
        audit.write(targetRemovedByJobNote(after, request.removalEntryId));
      } else after = { ...after, state: "FAILED", stopReason: "TARGET_HAS_MESSAGES" };
    }
    keep(kept, after, () => jobEndedNote(after, request.endEntryId));
    const { planned, nextBound } = tally;
    const idleMs = idleAfterStep(after, now);
    return { kind: "advanced", job: after, idleMs, planned, nextBound, removedTargetKey };
  };
}
