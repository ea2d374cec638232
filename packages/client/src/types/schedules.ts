import type { Content } from "../messages/message-input.ts";
import type { PageQuery } from "./lists.ts";
import type { Message, MessageOptions, MessageState } from "./messages.ts";

/** When a schedule is due: exactly one of `cron`, `everyMs` and `at`. Null is the same as left out. */
interface Recurrence {
  /** One expression, or up to 10: then it is due when any of them is. */
  cron?: string | string[] | null;
  /** An interval that begins at `startTime`, or else when the schedule is created. */
  everyMs?: number | null;
  /** Dates and times on the clocks of `timeZone`, such as `2026-12-24T09:00`. */
  at?: string[] | null;
  /** An IANA name such as `Europe/Berlin`; `UTC` by default. */
  timeZone?: string | null;
  /** No occurrence before this time. */
  startTime?: string | null;
  /** No occurrence after this time. */
  endTime?: string | null;
  /** Ends after so many runs that were made by time. What was skipped, missed, triggered or backfilled does not count. */
  maxRuns?: number | null;
  /** Dates, or dates and times, on the clocks of `timeZone`, that are left out. */
  except?: string[] | null;
}

/** What a schedule may set besides its target and payload, as it travels. */
interface GivenFields extends Recurrence {
  /** For each message. */
  message?: Pick<
    MessageOptions,
    "labels" | "retryPolicy" | "notAfterMs" | "headers" | "contentType" | "timeoutMs"
  > | null;
  /** Spreads messages over so long after their run times. */
  flexWindowMs?: number | null;
  /** What happens while the message of the run before is still scheduled; `allow` by default. */
  overlap?: "allow" | "skip" | "replace" | "queue" | null;
  /** Which run times are made up for that passed while no run could be made; the `last` by default. */
  catchUp?: { mode?: "last" | "all" | "none"; windowMs?: number } | null;
  /** Pauses the schedule when so many messages in a row have become dead letters. */
  pauseAfterDeadLetters?: number | null;
}

/** A whole schedule, as it travels. */
export interface PutSchedule extends GivenFields {
  targetId: string;
  payload: string;
}

/** A new schedule, as it travels. */
export interface CreateSchedule extends PutSchedule {
  /** 1 to 64 letters, digits, `_` and `-`; generated if it is left out. */
  scheduleId?: string;
}

/** Fields to change, as they travel. */
export type UpdateSchedule = Partial<PutSchedule>;

/** Times may be dates. */
type WithDates<Given> = {
  [Field in keyof Given]: Field extends "startTime" | "endTime" | "until"
    ? Given[Field] | Date
    : Given[Field];
};

type OptionalContent = Content | { payload?: never; json?: never };

/** A schedule to create, or a whole one. What to deliver is `payload`, or a value as `json`. */
export type ScheduleInput = WithDates<Omit<PutSchedule, "payload">> & Content;

/** The same with an id of its own, or without one: then it is generated. */
export type NewSchedule = ScheduleInput & Pick<CreateSchedule, "scheduleId">;

/** What to change. Null restores a default. */
export type ScheduleChanges = WithDates<Omit<UpdateSchedule, "payload">> & OptionalContent;

/** Why and how long to pause, as it travels. */
export interface PauseSchedule {
  /** Your own remark. */
  note?: string | null;
  /** When the pause ends by itself. */
  until?: string | null;
}

export type PauseInput = WithDates<PauseSchedule>;

/** A schedule, to see when it would be due, as it travels. What says nothing about that may be left out. */
export interface PreviewSchedule extends Partial<CreateSchedule> {
  /** Only occurrences after this time; now by default. */
  from?: string;
  /** How many occurrences, 1 to 100; 10 by default. */
  count?: number;
}

/** A schedule, to see when it would be due. What says nothing about that may be left out, and is only checked. */
export type PreviewInput = WithDates<Partial<Omit<CreateSchedule, "payload">>> &
  OptionalContent & {
    /** Only occurrences after this time; now by default. */
    from?: Date | string;
    /** How many occurrences, 1 to 100; 10 by default. */
    count?: number;
  };

/** Which run times to make afterwards, as it travels. Both ends are inclusive. */
export interface BackfillSchedule {
  /** The first run time to make. */
  from: string;
  /** The last run time to make; now by default. */
  to?: string;
  /** The most run times a second, 1 to 10,000; 50 by default. */
  ratePerSecond?: number;
  /** Your own remark. */
  note?: string;
  /** Only counts the run times. Nothing changes. */
  dryRun?: boolean;
  /** With `dryRun`: the `nextPageToken` of the answer before. */
  pageToken?: string;
}

/** Which run times to make afterwards, and how fast. */
export interface BackfillInput {
  /** The first run time to make. */
  from: Date | string;
  /** The last run time to make; now by default. */
  to?: Date | string;
  /** The most run times a second, 1 to 10,000; 50 by default. */
  ratePerSecond?: number;
  /** Your own remark. */
  note?: string;
}

/** What a backfill would make. */
export interface BackfillPreview {
  /** How many run times have had no run. */
  count: number;
  /** False: there may be more than `count`. */
  exact: boolean;
  /** The first ten. */
  sample: string[];
  /** Goes on with the count; null: nothing is left. */
  nextPageToken: string | null;
}

/** One time at which a schedule is due. */
export interface Occurrence {
  time: string;
  /** What the clocks of `timeZone` show then. */
  localTime: string;
  /** How far these clocks are ahead of UTC, such as `+02:00`. */
  offset: string;
  /** `gap`: clocks skip the time that is named, and this is the end of the gap. `fold`: clocks show it twice. */
  mark: "gap" | "fold" | null;
}

/** What became of one run time of a schedule, also if no message came of it. */
export interface ScheduleRun {
  scheduleId: string;
  runTime: string;
  trigger: "TIME" | "MANUAL" | "BACKFILL" | "CATCH_UP";
  outcome: "CREATED" | "SKIPPED" | "MISSED";
  /** Why there is no message. */
  reason:
    | "OVERLAP"
    | "REQUESTED"
    | "PAUSED"
    | "EDITED"
    | "E-DI-5005"
    | "NOT_AFTER"
    | "NOT_CAUGHT_UP"
    | "TOO_OLD"
    | null;
  messageId: string | null;
  /** Null if there is no message, or if it has expired. */
  messageState: MessageState | null;
}

/** A schedule in a list. */
export interface ListedSchedule {
  scheduleId: string;
  targetId: string;
  cron: string[] | null;
  everyMs: number | null;
  at: string[] | null;
  timeZone: string;
  startTime: string | null;
  endTime: string | null;
  maxRuns: number | null;
  except: string[];
  /** For each message. Only what is set is present. */
  message: Pick<
    Message,
    "labels" | "retryPolicy" | "notAfterMs" | "headers" | "contentType" | "timeoutMs"
  >;
  flexWindowMs: number;
  overlap: "allow" | "skip" | "replace" | "queue";
  catchUp: { mode: "last" | "all" | "none"; windowMs: number };
  pauseAfterDeadLetters: number | null;
  /** The next run time that is not skipped. */
  nextRunTime: string | null;
  /** How many more runs `maxRuns` lets it make by time; null without it. */
  runsLeft: number | null;
  /** The message of an earlier run that has to end before the next run is made; null: nothing waits. */
  waitsForMessageId: string | null;
  lastRun: ScheduleRun | null;
  paused: boolean;
  /** Null unless `paused`. `DEAD_LETTERS`: its runs became dead letters as often as it allows. */
  pause: {
    time: string;
    note: string | null;
    until: string | null;
    reason: "REQUESTED" | "DEAD_LETTERS";
  } | null;
  /** Grows with every change. */
  revision: number;
  creationTime: string;
  updateTime: string;
}

/** A message that recurs. */
export interface Schedule extends ListedSchedule {
  payload: string;
  /** Run times to come that are skipped. */
  skips: string[];
}

export interface ScheduleQuery extends PageQuery {
  /** Only schedules for this target. */
  targetId?: string;
  /** Only schedules that are paused, or only those that are not. */
  paused?: boolean;
}
