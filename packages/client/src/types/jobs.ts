import type { DeadLetterReason, Message } from "./messages.ts";

/**
 * `redrive`: dead letters are scheduled again, for now. `cancel`: scheduled messages are cancelled. `reschedule`:
 * they get another delivery time. `shift`: they are moved by so long. `backfill`: run times of a recurring schedule
 * that are past get their messages.
 */
export type JobAction = "redrive" | "cancel" | "reschedule" | "shift" | "backfill";

/** Which messages. All conditions must hold. */
export interface JobFilter {
  /** Needed, unless there are labels or a schedule. */
  targetId?: string;
  /** By `deadLetterTime` for `redrive`, by run time for `backfill`, and by `nextDeliveryTime` otherwise. */
  minTime?: string;
  maxTime?: string;
  /** All of these. */
  labels?: Record<string, string>;
  /** Messages with a `key` that begins with this. */
  keyPrefix?: string;
  /** Messages that this recurring schedule has made. */
  scheduleId?: string;
  /** For `redrive`. */
  deadLetterReason?: DeadLetterReason;
  /** For `redrive`: how the target answered the last attempt. */
  lastStatusCode?: number;
}

interface JobLimits {
  /** The most messages a second, 1 to 10,000; 50 for `redrive` and 2,000 for other actions by default. */
  ratePerSecond?: number;
  /** The job is done after this many messages. */
  maxMessages?: number;
  /** For `redrive`: pauses the job when so many messages fail again in a row; 20 by default. */
  stopAfterFailures?: number;
  /** Your own remark. */
  note?: string;
  /** Only counts the messages. Nothing changes. */
  dryRun?: boolean;
  /** With `dryRun`: the `nextPageToken` of the answer before. */
  pageToken?: string;
}

/** A job to create, as it travels. */
export interface CreateJob extends JobLimits {
  /** A backfill begins with `schedules.backfill`. */
  action: Exclude<JobAction, "backfill">;
  filter: JobFilter;
  /** For `reschedule`. */
  deliveryTime?: string;
  /** For `shift`; a negative number moves messages to earlier times. */
  byMs?: number;
}

/** A redrive of one target, as it travels. */
export interface RedriveDeadLetters extends JobLimits {
  filter?: Omit<JobFilter, "targetId">;
}

/** Times may be dates. */
type WithDates<Given> = {
  [Field in keyof Given]: Field extends "minTime" | "maxTime" | "deliveryTime"
    ? Given[Field] | Date
    : Field extends "filter"
      ? WithDates<Given[Field]>
      : Given[Field];
};

/** A change of many messages. */
export type JobInput = WithDates<Omit<CreateJob, "dryRun" | "pageToken">>;

/** Which dead letters of a target to send again, and how fast. */
export type RedriveInput = WithDates<Omit<RedriveDeadLetters, "dryRun" | "pageToken">>;

/** Where a count goes on. */
export interface CountFrom {
  /** The `nextPageToken` of an earlier preview: counts what comes behind that. */
  pageToken?: string;
}

/** What a job would change. */
export interface JobPreview {
  count: number;
  /** False: there may be more than `count`. */
  exact: boolean;
  /** The first ten. */
  sample: Message[];
  /** Goes on with the count; null: nothing is left. */
  nextPageToken: string | null;
}

/**
 * Why a job is paused, or ended before its last message. `REQUESTED`: somebody asked for it. `FAILURES`: too many
 * redriven messages failed again in a row. `MAX_MESSAGES`: it has met as many as it may. `TARGET_REMOVED`: its
 * target is gone. `TARGET_HAS_MESSAGES`: its target got new messages, and could not be removed. `SCHEDULE_REMOVED`:
 * its schedule is gone.
 */
export type JobStopReason =
  | "REQUESTED"
  | "FAILURES"
  | "MAX_MESSAGES"
  | "TARGET_REMOVED"
  | "TARGET_HAS_MESSAGES"
  | "SCHEDULE_REMOVED";

/** A change of many messages, made a few at a time. */
export interface Job {
  jobId: string;
  action: JobAction;
  filter: JobFilter;
  deliveryTime: string | null;
  byMs: number | null;
  /** A `PAUSED` job changes nothing until it is resumed. `DONE`, `STOPPED` and `FAILED` have ended. */
  state: "RUNNING" | "PAUSED" | "DONE" | "STOPPED" | "FAILED";
  /** How many messages it has met, or run times in a backfill. */
  matched: number;
  /** How many messages it has changed, or made in a backfill. */
  done: number;
  /** What it met and did not change. */
  skipped: {
    /** Their state, their `notAfter`, their key or, in a backfill, the monthly limit did not allow it. */
    changed: number;
    /** An attempt was under way, also later. */
    inFlight: number;
  };
  /** How many redriven messages failed at their next attempt. */
  failedAgain: number;
  ratePerSecond: number;
  maxMessages: number | null;
  stopAfterFailures: number | null;
  /** Whether it removes its target after the last message. */
  removesTarget: boolean;
  note: string | null;
  creationTime: string;
  endTime: string | null;
  /** Who created it. */
  actor: { kind: string; id: string };
  stopReason: JobStopReason | null;
}
