import { jobEndedNote, targetRemovedByJobNote } from "../../../../../src/domain/job-notes.ts";
import {
  afterStep,
  endedJob,
  idleAfterStep,
  looksForOutcomes,
  planStep,
} from "../../../../../src/domain/job-steps.ts";
import { isLive } from "../../../../../src/domain/job.ts";
import type { Job, StopReason } from "../../../../../src/domain/job.ts";
import { unknownHealth } from "../../../../../src/domain/events/target-health.ts";
import type { Instant } from "../../../../../src/domain/message.ts";
import { JobTally } from "../../../../../src/storage/job-tally.ts";
import type { JobStep, JobStepRequest } from "../../../../../src/storage/store.ts";
import { suspendedStep } from "../../../../../src/storage/suspended-step.ts";
import { liveAccount } from "../../database-state.ts";
import type { Context } from "../../database-state.ts";
import { teller } from "../events/tell.ts";
import type { KeptJob } from "../../job-table.ts";
import type { KeptSchedule } from "../../schedule-table.ts";
import { mayAdvance } from "../schedules/may-advance.ts";
import { backfillRuns } from "./backfill.ts";
import { isMember } from "./jobs.ts";
import { jobTurns } from "./turns.ts";

export function advanceJob(context: Context) {
  const { state, node } = context;
  const { clock, messages, targets, jobs, schedules, events, auditLog } = state;
  const tell = teller(context);
  const turns = jobTurns(context);
  const backfill = backfillRuns(context);

  function follow(
    kept: KeptJob,
    schedule: KeptSchedule | null,
    now: Instant,
    tally: JobTally,
  ): Job {
    const { job } = kept;
    const plan = planStep(job, now);
    if (plan.kind === "wait") return job;
    if (looksForOutcomes(job, now)) turns.lookForOutcomes(kept, tally);
    let cursor;
    if (plan.kind === "walk") {
      cursor =
        schedule === null
          ? turns.meet(kept, plan.limit, tally)
          : backfill.make(schedule, job, plan.limit, tally);
    }
    if (plan.kind === "second-turn") turns.goBack(kept, plan.limit, plan.isLast, tally);
    return afterStep(job, plan, tally.effect(cursor), now);
  }

  return (request: JobStepRequest): JobStep => {
    const now = clock.now();
    const kept = jobs.find(request, now);
    const isHeld = kept?.holder === request.holder.epoch && isMember(state, request.holder);
    if (kept?.job.state !== "RUNNING" || !isHeld) return { kind: "not-held" };
    const { job } = kept;
    const { accountId, filter } = job;
    if (liveAccount(state, accountId)?.state === "SUSPENDED") return suspendedStep(job);
    const isBackfill = job.action === "backfill";
    if (isBackfill && !mayAdvance(context, request.holder)) return suspendedStep(job);
    const schedule = isBackfill ? backfill.scheduleOf(job) : null;
    const { targetId } = filter;
    const target = targetId === null ? null : targets.live({ accountId, targetId });
    const tally = new JobTally();
    const isOtherTarget =
      target === undefined || (target !== null && target.target.creationTime > job.creationTime);
    const fail = (reason: StopReason): Job => endedJob(job, "FAILED", reason, now);
    let after: Job;
    if (schedule === undefined) after = fail("SCHEDULE_REMOVED");
    // A schedule that is there has a target, which may be another by now.
    else if (isOtherTarget && schedule === null) after = fail("TARGET_REMOVED");
    else after = follow(kept, schedule, now, tally);
    let removedTargetKey: number | null = null;
    if (after.state === "DONE" && job.removesTarget) {
      const { targetKey } = target!.target;
      const isInUse =
        messages.scheduledOf(targetKey).length > 0 || schedules.hasTarget(accountId, targetId!);
      if (isInUse) {
        after = { ...after, state: "FAILED", stopReason: "TARGET_HAS_MESSAGES" };
      } else {
        removedTargetKey = targetKey;
        auditLog.write(now, targetRemovedByJobNote(after, request.removalEntryId));
        const removed = target!.target;
        targets.remove(target!, now);
        events.setHealth(targetKey, unknownHealth);
        tell.target("target.removed", removed);
      }
    }
    if (!isLive(after.state)) auditLog.write(now, jobEndedNote(after, request.endEntryId));
    jobs.update(kept, after, node.retentionMs);
    tell.job(job, after);
    const { planned, nextBound } = tally;
    const idleMs = idleAfterStep(after, now);
    return { kind: "advanced", job: after, idleMs, planned, nextBound, removedTargetKey };
  };
}
