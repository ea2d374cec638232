import type { Instant } from "../instant.ts";
import type { MessageOptions } from "../message-options.ts";
import type { Run, RunTrigger } from "./run.ts";
import type { Schedule, ScheduleDefinition } from "./schedule.ts";

/**
 * A schedule goes on in steps. Each is one commit of the store: the messages that it makes and cancels, the rows of
 * runs, and the schedule after it. A store reads what a step needs to know (`Surroundings`), asks here what is to
 * happen (`Step`), tries to make the messages, and asks what to keep of it (`settled`).
 */

/** What a step must know beside the schedule. */
export interface Surroundings {
  /** By the store's clock. */
  readonly now: Instant;
  /**
   * Only for a change or a removal, empty otherwise: runs that were made and whose messages can still be taken back.
   * They are SCHEDULED, in no attempt and never attempted, due after `now`. Only of run times after `openRunsSince`,
   * and those whose messages callers have moved. In the order of their times.
   */
  readonly openRuns: readonly OpenRun[];
  /**
   * Only for a change, empty otherwise: the rows of runs with times after `now`, and before them the latest one of
   * the others. In the order of their times.
   */
  readonly recordedRuns: readonly Run[];
  /**
   * The message of `progress.earlierMessageId`; "ended" also if it is gone or there is none. A schedule with
   * `overlap: allow` does not ask: then a store may say "ended" without a look.
   */
  readonly earlier: EarlierState;
  /**
   * Only for a change, and only if the message of `progress.earlierMessageId` is that of an open run: the latest run by
   * time that is not open. If the open ones are taken back, `overlap` asks about this one. Missing: there is none.
   */
  readonly firmRun?: FirmRun;
}

export type EarlierState = "ended" | "scheduled" | "in-flight";

export interface FirmRun {
  readonly runTime: Instant;
  readonly messageId: string;
  /** As for `Surroundings.earlier`. */
  readonly state: EarlierState;
}

export interface OpenRun {
  readonly runTime: Instant;
  readonly trigger: RunTrigger;
  readonly messageId: string;
  /** Of its message. A caller may have moved it. */
  readonly dueTime: Instant;
}

/** What a store does in one commit. */
export interface Step {
  readonly schedule: Schedule;
  /** Messages of open runs that are taken back. They can be cancelled, the surroundings say so. */
  readonly cancelledMessageIds: readonly string[];
  /** Those whose runs are made again by this step: to be cancelled with the end reason REPLACED. */
  readonly supersededMessageIds: readonly string[];
  /** Rows of runs that go: they are undone, and their time is to come. */
  readonly undoneRunTimes: readonly Instant[];
  /** Messages to make, in their order. */
  readonly messages: readonly RunMessage[];
  /** Rows of runs without a message. A row with the same time is replaced. */
  readonly runs: readonly Run[];
  /** Ends only if the message that takes its place was made: a store looks at that of the settled step. */
  readonly replacedMessageId: string | null;
}

export interface RunMessage {
  readonly runTime: Instant;
  readonly trigger: RunTrigger;
  readonly deliveryTime: Instant;
  readonly payload: string;
  /** Never null: it names the schedule. */
  readonly options: MessageOptions;
  /**
   * Whether it counts against the monthly limit. Not if the same step takes back a message of the same run, because that
   * one has counted.
   */
  readonly counts: boolean;
  /** The run that was taken back, in whose place it is made again: after its time, or for the one that a caller gave. */
  readonly insteadOf?: OpenRun;
  /** Its run comes after runs of later times were made. `overlap` goes on asking about the latest of those. */
  readonly isOutOfTurn?: boolean;
}

/** What became of a message that a step wanted to make. */
export type MadeMessage =
  | { readonly kind: "made"; readonly messageId: string }
  | { readonly kind: "over-quota" }
  | { readonly kind: "too-late" };

/** What a store keeps after the messages were tried. */
export interface SettledStep {
  readonly schedule: Schedule;
  /** All rows to write, those of `Step.runs` included. A row with the same time is replaced. */
  readonly runs: readonly Run[];
  /** The earlier message, which a new one replaces: to be cancelled with the end reason REPLACED. */
  readonly replacedMessageId: string | null;
  /** Whether to remove rows of runs without a message afterwards, up to the latest `mostOnRecord`. */
  readonly hasTooManyUnmade: boolean;
}

/** What a caller asks of a schedule. */
export type ScheduleChange =
  /** Only while the schedule has this revision; null: whatever it has. */
  | {
      readonly kind: "define";
      readonly definition: ScheduleDefinition;
      readonly ifRevision: number | null;
    }
  | { readonly kind: "pause"; readonly note: string | null; readonly until: Instant | null }
  | { readonly kind: "resume" }
  | { readonly kind: "skip"; readonly time: Instant }
  | { readonly kind: "unskip"; readonly time: Instant }
  /** One run now, beside those by time. A paused schedule makes it too. */
  | { readonly kind: "trigger" };
