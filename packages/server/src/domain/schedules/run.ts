import type { Instant } from "../instant.ts";
import { codes } from "../refusals.ts";

/** What made the run. Stores keep a trigger by its index: append only. */
export const runTriggers = ["TIME", "MANUAL", "BACKFILL", "CATCH_UP"] as const;

export type RunTrigger = (typeof runTriggers)[number];

/** Of the runs that the schedule makes by itself: `maxRuns` counts them, and only they can be taken back. */
export const triggersByTime: readonly RunTrigger[] = ["TIME", "CATCH_UP"];

/** Stores keep an outcome by its index: append only. */
export const runOutcomes = ["CREATED", "SKIPPED", "MISSED"] as const;

export type RunOutcome = (typeof runOutcomes)[number];

/**
 * Why there is no message. Stores keep a reason by its index: append only.
 *
 * Of skipped runs:
 * - `OVERLAP`: the message of the run before was still scheduled.
 * - `REQUESTED`: a caller called the run off.
 * - `PAUSED`, `EDITED`: the schedule was paused or changed after the run time, before the message was due.
 * - The error code for it: the account had used up its monthly limit.
 * - `NOT_AFTER`: no attempt could have started before the message's `notAfter`.
 *
 * Of missed runs:
 * - `NOT_CAUGHT_UP`: its time passed while nobody made runs, and `catchUp.mode` leaves it out.
 * - `TOO_OLD`: the same, and it lies before `catchUp.windowMs`.
 */
export const runReasons = [
  "OVERLAP",
  "REQUESTED",
  "PAUSED",
  "EDITED",
  codes.monthlyLimitReached,
  "NOT_AFTER",
  "NOT_CAUGHT_UP",
  "TOO_OLD",
] as const;

export type RunReason = (typeof runReasons)[number];

/** What became of one run time of a schedule. There is at most one for each. Of many without a message the oldest go. */
export interface Run {
  readonly runTime: Instant;
  readonly trigger: RunTrigger;
  readonly outcome: RunOutcome;
  /** Null for a run that was created. */
  readonly reason: RunReason | null;
  /** Null unless the run was created. */
  readonly messageId: string | null;
}
