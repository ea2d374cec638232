import type { AuditNote } from "../domain/audit.ts";
import type { Instant, MessageState } from "../domain/message.ts";
import type { Run } from "../domain/schedules/run.ts";
import type { Schedule, ScheduleDefinition } from "../domain/schedules/schedule.ts";
import type { ScheduleChange } from "../domain/schedules/steps.ts";
import type { Holder } from "./delivery-store.ts";

export interface ScheduleRef {
  readonly accountId: string;
  readonly scheduleId: string;
}

export interface NewSchedule extends ScheduleRef {
  readonly definition: ScheduleDefinition;
}

/** A run, and the state of its message: null if it has none, or if the message has expired. */
export interface RunView extends Run {
  readonly messageState: MessageState | null;
}

/** A schedule whose `lastRun` tells the state of its message. */
export interface ScheduleView extends Schedule {
  readonly lastRun: RunView | null;
}

/** A schedule in a list. A page of long payloads would take the store and the service a fifth of a second. */
export type ListedSchedule = Omit<ScheduleView, "payload">;

/** What the commit planned, for the node to look at. */
export interface PlannedRuns {
  /** The targets that got messages, each once. */
  readonly planned: readonly PlannedTarget[];
  /** The earliest `notAfter` among the messages; null: none has one. */
  readonly nextBound: Instant | null;
}

export interface PlannedTarget {
  readonly accountId: string;
  readonly targetKey: number;
  /** The earliest instant of its messages. */
  readonly dueAt: Instant;
}

/**
 * The node would have to compute times with its time-zone data, and another live node that makes runs has newer data. Or
 * it does not know the zone. Nothing has changed.
 */
export interface OlderTimeZones {
  readonly kind: "older-time-zones";
}

export type CreateScheduleResult =
  | ({ readonly kind: "created"; readonly schedule: ScheduleView } & PlannedRuns)
  | { readonly kind: "exists" }
  | { readonly kind: "no-target" }
  /** The account has `mostSchedules` already. */
  | { readonly kind: "too-many" }
  /** It has no occurrence within fifty years. */
  | { readonly kind: "no-occurrence" }
  | OlderTimeZones;

export type ChangeScheduleResult =
  | ({
      readonly kind: "changed";
      readonly schedule: ScheduleView;
      /** What a trigger made; null for other changes. */
      readonly run: RunView | null;
    } & PlannedRuns)
  | { readonly kind: "not-found" }
  | { readonly kind: "no-target" }
  | { readonly kind: "no-occurrence" }
  /** Another change came first: read the schedule again. */
  | { readonly kind: "revised"; readonly schedule: ScheduleView }
  /** To skip: the time is no run time to come. To unskip: it was not called off, or is over. */
  | { readonly kind: "no-open-occurrence" }
  /** To skip: so many are called off already. */
  | { readonly kind: "too-many-skips" }
  /** To trigger: the monthly limit is used up. Nothing has changed. */
  | { readonly kind: "over-quota" }
  | OlderTimeZones;

export interface ListSchedulesRequest {
  readonly accountId: string;
  readonly targetId: string | null;
  readonly paused: boolean | null;
  /** The last id of the previous page. */
  readonly after: string | null;
  readonly limit: number;
}

export interface ListRunsRequest extends ScheduleRef {
  /** The last run time of the previous page. The list continues with earlier ones. */
  readonly before: Instant | null;
  readonly limit: number;
}

export interface AdvancedSchedules extends PlannedRuns {
  /** How many schedules had a step. */
  readonly advanced: number;
  /** Rows that say that a run was created, skipped or missed. */
  readonly runs: Readonly<Record<Run["outcome"], number>>;
  /**
   * The earliest `lookTime` of the schedules that are left: it has come if the limit ended the look. Null: there is
   * none.
   */
  readonly nextLookTime: Instant | null;
  readonly now: Instant;
}

export interface ScheduleStore {
  /** Makes the runs of the next seconds in the same commit. */
  createSchedule(schedule: NewSchedule, note: AuditNote): Promise<CreateScheduleResult>;
  /**
   * Takes back in the same commit what was made and is not due yet, where the change says so, and makes the runs of
   * the next seconds.
   */
  changeSchedule(
    ref: ScheduleRef,
    change: ScheduleChange,
    note: AuditNote,
  ): Promise<ChangeScheduleResult>;
  /** Cancels what was made and is not due yet. Undefined: there is no such schedule. */
  removeSchedule(ref: ScheduleRef, note: AuditNote): Promise<ScheduleView | undefined>;
  getSchedule(ref: ScheduleRef): Promise<ScheduleView | undefined>;
  /** By `scheduleId`. */
  listSchedules(request: ListSchedulesRequest): Promise<ListedSchedule[]>;
  /** The newest run time first. Undefined: there is no such schedule. */
  listRuns(request: ListRunsRequest): Promise<RunView[] | undefined>;
  /**
   * Makes the runs of the next seconds of up to `limit` schedules, each only if nobody has done it. Accounts take
   * turns. Does nothing while another live node that delivers has newer time-zone data than this one, or for a holder whose
   * membership has ended.
   */
  advanceSchedules(holder: Holder, limit: number): Promise<AdvancedSchedules>;
  /**
   * Looks at runs of schedules with `pauseAfterDeadLetters` whose messages have not ended as far as the store knows,
   * and pauses schedules whose runs became dead letters too often. Counts those that it looked at.
   */
  judgeRuns(
    holder: Holder,
    limit: number,
  ): Promise<{ readonly looked: number; readonly paused: readonly ScheduleRef[] }>;
}
