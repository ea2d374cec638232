import { walkOf } from "./job-filter.ts";
import { isLive, mostChangesAtOnce, patienceMs } from "./job.ts";
import type { Job, JobCursor, JobOrder, StopReason } from "./job.ts";
import type { Instant } from "./instant.ts";
import type { TrackedMessage } from "./message.ts";
import { rateAllowance, rateOpensAt, spendRate } from "./rate-limit.ts";
import type { RateLimit } from "./rate-limit.ts";
import { earliestTime, latestTime } from "./times.ts";
import { decideChange, shifted } from "./transitions.ts";
import type { ChangeDecision } from "./transitions.ts";

/**
 * A job goes on in steps. Each is one commit of the store: what it changes of the messages, of the job's counters
 * and of its place in the walk. The store asks here what a step may do, does it, and keeps the job that comes out.
 */

/** What a step of a running job is for. */
export type StepPlan =
  /** Up to this many further messages. */
  | { readonly kind: "walk"; readonly limit: number }
  /** Those that were in flight at their first turn; `isLast`: whatever is still in flight is skipped. */
  | { readonly kind: "second-turn"; readonly limit: number; readonly isLast: boolean }
  /** Nothing but the outcomes of redriven messages; `isLast`: what has no outcome yet stays without. */
  | { readonly kind: "watch"; readonly isLast: boolean }
  /** The rate allows nothing before this much time. */
  | { readonly kind: "wait"; readonly waitMs: number };

export function planStep(job: Job, now: Instant): StepPlan {
  const { walkEndTime, waiting, rateFullAt } = job.progress;
  const isLast = walkEndTime !== null && isOver(walkEndTime + patienceMs, walkEndTime, now);
  if (walkEndTime !== null && waiting === 0) return { kind: "watch", isLast };
  const rate = rateOf(job);
  const left = walkEndTime === null ? (job.maxMessages ?? Infinity) - job.matched : waiting;
  const limit = Math.min(rateAllowance(rate, rateFullAt, now), mostChangesAtOnce, left);
  // A commit for each message would cost the store far more than the message does.
  const least = Math.min(Math.ceil(rate.max / 2), left);
  if (limit < least) {
    return { kind: "wait", waitMs: Math.max(1, rateOpensAt(rate, rateFullAt, now, least) - now) };
  }
  return walkEndTime === null ? { kind: "walk", limit } : { kind: "second-turn", limit, isLast };
}

/** Whether a step should look for the outcomes of redriven messages: not at each of many small steps. */
export function looksForOutcomes({ progress }: Job, now: Instant): boolean {
  const { watched, outcomesLookTime } = progress;
  return watched > 0 && isOver(outcomesLookTime + lookAgainMs, outcomesLookTime, now);
}

/** A clock that was set back must not make a job wait longer than it should. */
function isOver(end: Instant, beginning: Instant, now: Instant): boolean {
  return now >= end || now < beginning;
}

/** A fifth of a second at once, so that slow jobs go evenly and fast ones in large steps. */
function rateOf({ ratePerSecond }: Pick<JobOrder, "ratePerSecond">): RateLimit {
  const max = Math.min(Math.ceil(ratePerSecond / 5), mostChangesAtOnce);
  return { max, intervalMs: (max * 1_000) / ratePerSecond };
}

/** A message that ended between its two turns stays as it ended. */
const whileScheduled = { whileScheduled: true } as const;

/** What the job makes of a message at its turn. */
export function decideByJob(
  job: JobOrder & Pick<Job, "creationTime">,
  message: TrackedMessage,
  now: Instant,
  retentionMs: number,
): ChangeDecision {
  const { action, deliveryTime, byMs } = job;
  if (action === "backfill") throw new Error("a backfill makes messages, and changes none");
  if (isPlannedSince(job, message)) return { kind: "refused", message };
  if (action !== "shift") {
    const wanted = { redrive: now, cancel: null, reschedule: deliveryTime }[action];
    const asked = { deliveryTime: wanted, ...(action === "reschedule" && whileScheduled) };
    return decideChange(message, asked, now, retentionMs);
  }
  const time = message.nextDeliveryTime === null ? null : message.nextDeliveryTime + byMs!;
  const isTime = time !== null && time >= earliestTime && time <= latestTime;
  const moved = isTime ? shifted(message, byMs!, now) : undefined;
  if (moved === undefined) return { kind: "refused", message };
  return moved === "too-late" ? { kind: "too-late", message } : { kind: "changed", message: moved };
}

/**
 * Whether a caller has moved the message, or replaced its content, since the job was created: the later word
 * counts. Retries plan messages too, so this is known only of those that were never attempted.
 */
function isPlannedSince({ creationTime }: Pick<Job, "creationTime">, message: TrackedMessage) {
  const { state, attemptCount, planningTime } = message;
  return state === "SCHEDULED" && attemptCount === 0 && planningTime > creationTime;
}

/** What a step did. Counts are of messages. */
export interface StepEffect {
  /** Met for the first time. */
  readonly met: number;
  readonly done: number;
  /** Skipped because the change was not possible. */
  readonly changed: number;
  /** Skipped because an attempt was in flight at the second turn. */
  readonly inFlight: number;
  /** More messages that wait for a second turn; negative: fewer. */
  readonly waiting: number;
  /** Only of a walk: where it is now, or null at its end. */
  readonly cursor?: JobCursor | null;
  /** The same for redriven messages without an outcome. */
  readonly watched: number;
  readonly lookedForOutcomes: boolean;
  /** Whether each redriven message whose attempt ended was delivered, in the order of the attempts. */
  readonly delivered: readonly boolean[];
}

/** The job after a step, which may be its last. */
export function afterStep(job: Job, plan: StepPlan, effect: StepEffect, now: Instant): Job {
  const { progress, skipped } = job;
  const vanished = vanishedBefore(job, plan, effect);
  const isAtEnd = effect.cursor === null;
  const walksAgain = isAtEnd && !progress.walksAgain && isOverMovingMessages(job);
  const matched = job.matched + effect.met;
  const isFull = job.maxMessages !== null && matched >= job.maxMessages;
  const isWalked = isFull || (isAtEnd && !walksAgain);
  const failures = failuresAfter(progress.failuresInARow, effect.delivered);
  const next: Job = {
    ...job,
    matched,
    done: job.done + effect.done,
    skipped: {
      changed: skipped.changed + effect.changed + vanished,
      inFlight: skipped.inFlight + effect.inFlight,
    },
    failedAgain: job.failedAgain + effect.delivered.filter((isDelivered) => !isDelivered).length,
    progress: {
      cursor: walksAgain ? null : (effect.cursor ?? progress.cursor),
      walksAgain: progress.walksAgain || walksAgain,
      walkEndTime: progress.walkEndTime ?? (isWalked ? now : null),
      waiting: progress.waiting + effect.waiting - vanished,
      watched: progress.watched + effect.watched,
      failuresInARow: failures.inARow,
      outcomesLookTime: effect.lookedForOutcomes ? now : progress.outcomesLookTime,
      rateFullAt: spendRate(rateOf(job), progress.rateFullAt, now, spentBy(effect)),
    },
  };
  if (failsTooOften(next, failures.longest)) {
    return { ...next, state: "PAUSED", stopReason: "FAILURES" };
  }
  return isOverWith(next, plan)
    ? endedJob(next, "DONE", isFull ? "MAX_MESSAGES" : null, now)
    : next;
}

/**
 * Messages that should have had their second turn and are not there any more: they expired while the job was
 * paused. The last second turns end the wait of each message that they find, so nothing is left if one finds none.
 */
function vanishedBefore({ progress }: Job, plan: StepPlan, { waiting }: StepEffect): number {
  return plan.kind === "second-turn" && plan.isLast && waiting === 0 ? progress.waiting : 0;
}

function isOverMovingMessages(job: Job): boolean {
  const walk = walkOf(job);
  return walk.by === "target" && walk.list === "scheduled";
}

/** How many failed in a row by the end, and the most that ever did. */
function failuresAfter(before: number, delivered: readonly boolean[]) {
  let [inARow, longest] = [before, before];
  for (const isDelivered of delivered) {
    inARow = isDelivered ? 0 : inARow + 1;
    longest = Math.max(longest, inARow);
  }
  return { inARow, longest };
}

/** Also after the walk: a redrive that failed is not done, and somebody should look at it. */
function failsTooOften({ stopAfterFailures }: Job, longestInARow: number): boolean {
  return stopAfterFailures !== null && longestInARow >= stopAfterFailures;
}

function spentBy({ done, changed, inFlight }: StepEffect): number {
  return done + changed + inFlight;
}

function isOverWith({ progress }: Job, plan: StepPlan): boolean {
  const { walkEndTime, waiting, watched } = progress;
  if (walkEndTime === null || waiting > 0) return false;
  return watched === 0 || (plan.kind === "watch" && plan.isLast);
}

/** Messages that still wait for their second turn are skipped: nothing more happens to them. */
export function endedJob(
  job: Job,
  state: "DONE" | "STOPPED" | "FAILED",
  stopReason: StopReason | null,
  now: Instant,
): Job {
  const { progress, skipped } = job;
  return {
    ...job,
    state,
    stopReason,
    endTime: now,
    skipped: { ...skipped, inFlight: skipped.inFlight + progress.waiting },
    progress: { ...progress, waiting: 0, watched: 0 },
  };
}

/** What a caller asks of a job that has not ended. */
export type JobChange =
  | { readonly kind: "stop" }
  | { readonly kind: "pause" }
  | { readonly kind: "resume" }
  | { readonly kind: "set-rate"; readonly ratePerSecond: number };

/** Undefined: the job has ended. A job that is paused already can be paused, and so on: nothing changes then. */
export function changedJob(job: Job, change: JobChange, now: Instant): Job | undefined {
  if (!isLive(job.state)) return undefined;
  switch (change.kind) {
    case "stop":
      return endedJob(job, "STOPPED", "REQUESTED", now);
    case "pause":
      return job.state === "PAUSED" ? job : { ...job, state: "PAUSED", stopReason: "REQUESTED" };
    case "resume":
      return job.state === "RUNNING"
        ? job
        : {
            ...job,
            state: "RUNNING",
            stopReason: null,
            // What was redriven before the pause may fail without counting.
            progress: { ...job.progress, failuresInARow: 0 - job.progress.watched },
          };
    default:
      return { ...job, ratePerSecond: change.ratePerSecond };
  }
}

/** How long the job has nothing to do after a step; null: it has ended or is paused. */
export function idleAfterStep(job: Job, now: Instant): number | null {
  if (job.state !== "RUNNING") return null;
  const plan = planStep(job, now);
  if (plan.kind === "wait") return plan.waitMs;
  return plan.kind === "walk" ? 0 : lookAgainMs;
}

/** Attempts in flight end at any time, and nobody tells the job. */
const lookAgainMs = 200;
