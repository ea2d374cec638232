import type { Actor } from "./access.ts";
import type { DeadLetterReason } from "./end-reason.ts";
import type { Instant } from "./instant.ts";
import type { FullAt } from "./rate-limit.ts";

/**
 * A job makes the same change to many messages, a few at a time, at its own rate. A `backfill` makes the messages of
 * run times of a recurring schedule that are past.
 */
export const jobActions = ["redrive", "cancel", "reschedule", "shift", "backfill"] as const;

export type JobAction = (typeof jobActions)[number];

/**
 *     create ──► RUNNING ◄──resume/pause──► PAUSED
 *                 │   └──────stop──────┐      │ stop
 *                 ▼                    ▼      ▼
 *           DONE or FAILED            STOPPED
 */
export const jobStates = ["RUNNING", "PAUSED", "DONE", "STOPPED", "FAILED"] as const;

export type JobState = (typeof jobStates)[number];

/**
 * Why a job does not run, or ended before its last message.
 *
 * - `REQUESTED`: a caller paused or stopped it.
 * - `FAILURES`: so many redriven messages failed again in a row.
 * - `MAX_MESSAGES`: it has met as many messages as it was allowed to.
 * - `TARGET_REMOVED`: its target was removed.
 * - `TARGET_HAS_MESSAGES`: it was to remove its target, which has scheduled messages again, or still in flight, or a
 *   recurring schedule.
 * - `SCHEDULE_REMOVED`: it makes runs of a schedule that was removed, also if another has the same id now.
 */
export const stopReasons = [
  "REQUESTED",
  "FAILURES",
  "MAX_MESSAGES",
  "TARGET_REMOVED",
  "TARGET_HAS_MESSAGES",
  "SCHEDULE_REMOVED",
] as const;

export type StopReason = (typeof stopReasons)[number];

/** Which messages a job changes. Every condition that is given must hold. */
export interface JobFilter {
  /** Null only if there are labels. */
  readonly targetId: string | null;
  /**
   * Bounds for `deadLetterTime` in a redrive, for run times in a backfill, and for `nextDeliveryTime` otherwise, both
   * inclusive. A backfill has both.
   */
  readonly minTime: Instant | null;
  readonly maxTime: Instant | null;
  /** As stores index them. A message must have all of them. */
  readonly labels: readonly string[];
  readonly keyPrefix: string | null;
  /** Of dead letters. */
  readonly deadLetterReason: DeadLetterReason | null;
  /** The status of the answer to the last attempt at a dead letter. */
  readonly lastStatusCode: number | null;
}

/** What a caller asks for. */
export interface JobOrder {
  readonly action: JobAction;
  readonly filter: JobFilter;
  /** For `reschedule`; null for the other actions. */
  readonly deliveryTime: Instant | null;
  /** For `shift`; null for the other actions. */
  readonly byMs: number | null;
  readonly ratePerSecond: number;
  /** Null: as many as match. */
  readonly maxMessages: number | null;
  /** For `redrive`; null for the other actions. */
  readonly stopAfterFailures: number | null;
  readonly note: string | null;
  /** Removes the target once its messages are cancelled. */
  readonly removesTarget: boolean;
}

export interface Job extends JobOrder {
  readonly jobId: string;
  readonly accountId: string;
  readonly actor: Actor;
  readonly state: JobState;
  /** Messages met so far. In a job that has ended, each of them is done or skipped. */
  readonly matched: number;
  readonly done: number;
  readonly skipped: SkippedMessages;
  /** Redriven messages whose next attempt failed. */
  readonly failedAgain: number;
  readonly creationTime: Instant;
  readonly endTime: Instant | null;
  readonly stopReason: StopReason | null;
  readonly progress: JobProgress;
}

export interface SkippedMessages {
  /** Their state or their options did not allow the change at their turn. */
  readonly changed: number;
  /** An attempt was in flight at both of their turns. */
  readonly inFlight: number;
}

/** What only the service sees of a job. */
export interface JobProgress {
  /** Up to where the walk has looked. Null: it has not begun. */
  readonly cursor: JobCursor | null;
  /** The first walk went from the latest to the earliest. This is the second, the other way. */
  readonly walksAgain: boolean;
  /** Null: the walk has not reached its end. */
  readonly walkEndTime: Instant | null;
  /** Messages that were in flight at their turn and get a second one after the walk. */
  readonly waiting: number;
  /** Redriven messages whose next attempt has not ended as far as the job knows. */
  readonly watched: number;
  readonly failuresInARow: number;
  /** When the job last looked for their outcomes. */
  readonly outcomesLookTime: Instant;
  /** The state of the bucket that keeps the rate. */
  readonly rateFullAt: FullAt;
}

/**
 * How far a job is with a message that it has met. Stores keep a stage by its index: append only.
 *
 * - `handled`: it has had its last turn.
 * - `waiting`: an attempt was in flight at its first turn, and it gets a second.
 * - `watched`: it was redriven, and its next attempt has not ended as far as the job knows.
 */
export const jobMessageStages = ["handled", "waiting", "watched"] as const;

export type JobMessageStage = (typeof jobMessageStages)[number];

/** A place in a walk: by a time and then the id, by the id alone, without a time, or by a run time, with an empty id. */
export interface JobCursor {
  readonly time: Instant | null;
  readonly messageId: string;
}

export const slowestRate = 1;
export const fastestRate = 10_000;
export const defaultRates: Readonly<Record<JobAction, number>> = {
  redrive: 50,
  cancel: 2_000,
  reschedule: 2_000,
  shift: 2_000,
  backfill: 50,
};
export const defaultStopAfterFailures = 20;

/** The most changes in one commit. */
export const mostChangesAtOnce = 200;

/** The most messages that one step looks at, whether or not they match. */
export const mostLookedAtByStep = 1_000;

/** The most redriven messages whose outcomes a job waits for at the same time. */
export const mostWatched = 1_000;

/** How long a job waits, after its walk, for attempts in flight and for outcomes. */
export const patienceMs = 5_000;

export function isLive(state: JobState): boolean {
  return state === "RUNNING" || state === "PAUSED";
}

export interface NewJob extends JobOrder {
  readonly jobId: string;
  readonly accountId: string;
  readonly actor: Actor;
}

export function startedJob(order: NewJob, now: Instant): Job {
  return {
    ...order,
    state: "RUNNING",
    matched: 0,
    done: 0,
    skipped: { changed: 0, inFlight: 0 },
    failedAgain: 0,
    creationTime: now,
    endTime: null,
    stopReason: null,
    progress: {
      cursor: null,
      walksAgain: false,
      walkEndTime: null,
      waiting: 0,
      watched: 0,
      failuresInARow: 0,
      outcomesLookTime: now,
      rateFullAt: now,
    },
  };
}
