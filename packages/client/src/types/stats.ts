import type { DeadLetterReason, Message } from "./messages.ts";

/** A number of messages at one moment. */
export interface Count {
  value: number;
  /** False: there were at least so many. */
  exact: boolean;
  /** When the count began. */
  asOf: string;
}

/** What an account has. */
export interface Stats {
  /** Messages in the state SCHEDULED. */
  pending: Count;
  /** Of these, the ones whose time has come. */
  overdue: Count;
  /** Of these, the ones that become due in the next minute, hour or day. */
  dueInMinute: Count;
  dueInHour: Count;
  dueInDay: Count;
  deadLetters: Count;
}

/** A part of time, in UTC. */
export type TimeBucket = "minute" | "hour" | "day";

export type RangeQuery = {
  /** Only this target; all of them by default. */
  targetId?: string;
  /** The first bucket is the one that this time is in. */
  minTime?: Date | string;
  /** The last bucket begins before this time. */
  maxTime?: Date | string;
  /** By default minutes for up to 3 hours, hours for up to 4 days, and days for longer. */
  bucket?: TimeBucket;
};

interface BucketRange {
  /** Null: all targets of the account. */
  targetId: string | null;
  bucket: TimeBucket;
  /** When the first bucket begins. */
  minTime: string;
  /** When the last bucket ends. */
  maxTime: string;
}

/** Numbers of attempts, by buckets that never change. */
export interface Histogram {
  /** One number for each of `boundsMs`, and one for all above the last. */
  counts: number[];
  /** Estimated from the buckets; null without any attempt. */
  p50Ms: number | null;
  p99Ms: number | null;
}

/** Attempts that ended in a span of time. */
export interface AttemptCounts {
  attempts: number;
  /** The same by their outcome. */
  outcomes: Record<string, number>;
  /** From the start of an attempt to its end. */
  durations: Histogram;
  /** From the instant a message was due to the start of the attempt. */
  lateness: Histogram;
}

/** How attempts went. Minutes are kept for 48 hours, hours for 35 days. */
export interface Activity extends BucketRange {
  /** The upper bounds of the buckets of `durations` and `lateness`, each included. */
  boundsMs: number[];
  total: AttemptCounts;
  /** Buckets with attempts, the earliest first. */
  items: (AttemptCounts & { time: string })[];
}

/** How many messages become due when. */
export interface Forecast extends BucketRange {
  /** False: `overdue` and each `messages` is at least so high. */
  exact: boolean;
  /** The same for `runs`. */
  runsExact: boolean;
  /** Whether it is still being counted: the next call knows more. */
  counting: boolean;
  /** When the count began. */
  asOf: string;
  /** Messages whose time had come by then. */
  overdue: number;
  /** All buckets, the earliest first. */
  items: {
    time: string;
    /** Scheduled already. */
    messages: number;
    /** To be made by recurring schedules. */
    runs: number;
  }[];
}

/** Dead letters of one target that ended in the same way. */
export interface DeadLetterGroup {
  targetId: string;
  deadLetterReason: DeadLetterReason | null;
  /** Null if the target did not answer the last attempt. */
  lastStatusCode: number | null;
  count: number;
  /** The earliest and the latest `deadLetterTime`. */
  firstTime: string;
  lastTime: string;
  /** The newest. */
  sample: Message;
}

/** Groups of dead letters, the largest first. */
export interface DeadLetterGroupList {
  /** False: there may be more, and older ones. */
  exact: boolean;
  /** When the look began. */
  asOf: string;
  items: DeadLetterGroup[];
}

/** How a target does. */
export interface TargetStats {
  targetId: string;
  paused: boolean;
  /** Messages in an attempt, on all nodes together. */
  inFlight: number;
  /** How many it may have at once. */
  maxConcurrency: number;
  /** Messages that are due and in no attempt. */
  waiting: Count;
  deadLetters: Count;
  /** Attempts that ended in the last 60 minutes. */
  lastHour: { attempts: number; failed: number };
}
