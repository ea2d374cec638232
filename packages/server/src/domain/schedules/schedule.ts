import type { Instant } from "../instant.ts";
import type { MessageOptions } from "../message-options.ts";
import type { Run } from "./run.ts";

/** What happens at a run time while the message of the run before it is still SCHEDULED. */
export const overlaps = ["allow", "skip", "replace", "queue"] as const;

export type Overlap = (typeof overlaps)[number];

/** Which of the run times that passed while nobody made runs are made afterwards. */
export const catchUpModes = ["last", "all", "none"] as const;

export type CatchUpMode = (typeof catchUpModes)[number];

export interface CatchUp {
  readonly mode: CatchUpMode;
  /** Older run times than this are not made. */
  readonly windowMs: number;
}

/** What a caller sets. Times on the clocks of a zone are texts, as they were given. */
export interface ScheduleDefinition {
  readonly targetId: string;
  readonly payload: string;
  /** For each message. It has neither a key nor `notAfter` nor `flexWindowMs`. Header values are sealed. */
  readonly message: MessageOptions | null;
  /** One of the three is not null. */
  readonly cron: readonly string[] | null;
  readonly everyMs: number | null;
  readonly at: readonly string[] | null;
  readonly timeZone: string;
  readonly startTime: Instant | null;
  readonly endTime: Instant | null;
  readonly maxRuns: number | null;
  readonly except: readonly string[];
  readonly flexWindowMs: number;
  readonly overlap: Overlap;
  readonly catchUp: CatchUp;
  readonly pauseAfterDeadLetters: number | null;
}

export interface Schedule extends ScheduleDefinition {
  readonly accountId: string;
  readonly scheduleId: string;
  /** Grows with every change that a caller makes. */
  readonly revision: number;
  readonly creationTime: Instant;
  /** When it last changed by a caller's word. */
  readonly updateTime: Instant;
  readonly pause: Pause | null;
  /** Run times to come that a caller has called off, in their order. */
  readonly skips: readonly Instant[];
  /** The next run time that is not decided yet. Once stored it stays, whatever newer time-zone data says. */
  readonly nextRunTime: Instant | null;
  readonly lastRun: Run | null;
  readonly progress: ScheduleProgress;
}

export interface Pause {
  readonly time: Instant;
  readonly note: string | null;
  /** Ends by itself then; null: only by a resume. */
  readonly until: Instant | null;
  readonly reason: PauseReason;
}

/** `DEAD_LETTERS`: so many runs in a row became dead letters. */
export type PauseReason = "REQUESTED" | "DEAD_LETTERS";

/** Without its ends. */
export interface QueueGap {
  readonly after: Instant;
  readonly before: Instant;
}

/** What only the service sees. */
export interface ScheduleProgress {
  /** Every run time up to and including this instant is decided. It never moves back behind a run that stays. */
  readonly cursor: Instant;
  /** When the store has to look at the schedule again; null: not before a caller changes it. */
  readonly lookTime: Instant | null;
  /** Runs that were made by time, against `maxRuns`. */
  readonly madeRuns: number;
  /** The message of the latest run that was made by time: `overlap` asks for its state. */
  readonly earlierMessageId: string | null;
  /** `overlap` holds run times back. They are not late by an outage then, unless they came during one. */
  readonly isQueueing: boolean;
  /** Only while run times are held back: when the last look was. */
  readonly queueLookTime?: Instant;
  /** Spans in which nobody looked while run times were held back. What came in them was missed. */
  readonly queueGaps?: readonly QueueGap[];
  /** Of the runs after the latest one that was delivered. */
  readonly deadLettersInARow: number;
  /** Their run times, but for those that a version counted which kept none. Missing: none. */
  readonly deadRunTimes?: readonly Instant[];
  /** The latest run time whose message was delivered, as far as dead letters matter. Missing: none. */
  readonly deliveredRunTime?: Instant;
  /** How many rows of runs without a message there are at most. Missing: none. */
  readonly unmadeRuns?: number;
  /**
   * The last run when runs were made ahead of their times. It is shown again if those are taken back: its row may have
   * expired. Missing: there was none, or its time was not over.
   */
  readonly lastPastRun?: Run;
}
