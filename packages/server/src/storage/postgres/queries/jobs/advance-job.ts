import { jobEndedNote, targetRemovedByJobNote } from "../../../../domain/job-notes.ts";
import {
  afterStep,
  endedJob,
  idleAfterStep,
  looksForOutcomes,
  planStep,
} from "../../../../domain/job-steps.ts";
import { isLive } from "../../../../domain/job.ts";
import type { Job } from "../../../../domain/job.ts";
import { JobTally } from "../../../job-tally.ts";
import type { JobStep, JobStepRequest } from "../../../store.ts";
import { suspendedStep } from "../../../suspended-step.ts";
import type { Run } from "../../connections/connections.ts";
import type { MetMessage } from "../../rows/job-rows.ts";
import { writeNotes } from "../audit-entries.ts";
import type { WorkContext } from "../context.ts";
import { removeTargetWithoutMessages } from "../targets.ts";
import { holderMayAdvance } from "../schedules/may-advance.ts";
import { backfillRuns } from "./backfill.ts";
import { countFirstTurns, countSecondTurns } from "./count-turns.ts";
import { findOutcomes } from "./find-outcomes.ts";
import { findFirstTurns } from "./first-turns.ts";
import { lockHeldJob } from "./lock-held-job.ts";
import type { HeldJob } from "./lock-held-job.ts";
import { findSecondTurns } from "./second-turns.ts";
import { takeTurns } from "./take-turns.ts";
import { tellJobChange } from "./tell-job-change.ts";
import { writeStep } from "./write-step.ts";

/** Undoes a step during which the holder's membership came to its end. */
const notHeld = new Error("the holder is no member any more");

interface StepEnd {
  readonly job: Job;
  /** What is to be kept of the messages that had a turn. */
  readonly met: readonly MetMessage[];
}

/**
 * One transaction. After the gate of the account it locks the job first, and it writes the job last: a call
 * that creates a job for the same target reads this one while it holds the target, which the step may still
 * have to lock.
 */
export function advanceJob(context: WorkContext) {
  const { connections, retentionMs } = context;
  return async (request: JobStepRequest): Promise<JobStep> => {
    try {
      return await connections.transaction((run) => advance(run, request));
    } catch (error) {
      if (error === notHeld) return { kind: "not-held" };
      throw error;
    }
  };

  async function advance(run: Run, request: JobStepRequest): Promise<JobStep> {
    const held = await lockHeldJob(run, request);
    if (held === undefined) return { kind: "not-held" };
    if (held === "busy") return { kind: "busy" };
    if (held.isSuspended) return suspendedStep(held.job);
    const isBackfill = held.job.action === "backfill";
    if (isBackfill && !(await holderMayAdvance(run, context, request.holder)))
      return suspendedStep(held.job);
    const tally = new JobTally();
    const end = await takeStep(run, held, tally);
    const { job, removedTargetKey } = await endWithTarget(run, end.job, held);
    // Nothing happens while the rate allows nothing.
    if (job !== held.job) await keep(run, request, { job, met: end.met }, removedTargetKey);
    await tellJobChange(run, held.job, job, held.now);
    const { planned, nextBound } = tally;
    const idleMs = idleAfterStep(job, held.now);
    return { kind: "advanced", job, idleMs, planned, nextBound, removedTargetKey };
  }

  async function takeStep(
    run: Run,
    { job, now, isTargetRemoved }: HeldJob,
    tally: JobTally,
  ): Promise<StepEnd> {
    if (isTargetRemoved) return { job: endedJob(job, "FAILED", "TARGET_REMOVED", now), met: [] };
    const plan = planStep(job, now);
    if (plan.kind === "wait") return { job, met: [] };
    const met = looksForOutcomes(job, now) ? await findOutcomes(run, job, tally) : [];
    const time = { now, retentionMs };
    let cursor;
    if (plan.kind === "walk" && job.action === "backfill") {
      cursor = await backfillRuns(run, context, job, { limit: plan.limit, tally });
      if (cursor === undefined) {
        return { job: endedJob(job, "FAILED", "SCHEDULE_REMOVED", now), met: [] };
      }
    } else if (plan.kind === "walk") {
      const walked = await findFirstTurns(run, job, plan.limit);
      met.push(...countFirstTurns(job, await takeTurns(run, job, walked.found, time), tally));
      ({ cursor } = walked);
    } else if (plan.kind === "second-turn") {
      const turns = await takeTurns(run, job, await findSecondTurns(run, job, plan), time);
      met.push(...countSecondTurns(job, turns, plan.isLast, tally));
    }
    return { job: afterStep(job, plan, tally.effect(cursor), now), met };
  }

  async function keep(
    run: Run,
    { holder, endEntryId, removalEntryId }: JobStepRequest,
    { job, met }: StepEnd,
    removedTargetKey: number | null,
  ): Promise<void> {
    if (!isLive(job.state)) {
      const ended = jobEndedNote(job, endEntryId);
      const removed = targetRemovedByJobNote(job, removalEntryId);
      await writeNotes(run, removedTargetKey === null ? [ended] : [removed, ended]);
    }
    if (!(await writeStep(run, { job, met, holder, retentionMs }))) throw notHeld;
  }
}

/** A job that is to remove its target does so with its last step. */
async function endWithTarget(
  run: Run,
  job: Job,
  { now }: HeldJob,
): Promise<{ readonly job: Job; readonly removedTargetKey: number | null }> {
  if (job.state !== "DONE" || !job.removesTarget) return { job, removedTargetKey: null };
  const { accountId, filter } = job;
  const result = await removeTargetWithoutMessages(run, { accountId, targetId: filter.targetId! });
  if (result.kind === "removed") return { job, removedTargetKey: result.target.targetKey };
  const reason = result.kind === "not-found" ? "TARGET_REMOVED" : "TARGET_HAS_MESSAGES";
  return { job: endedJob(job, "FAILED", reason, now), removedTargetKey: null };
}
