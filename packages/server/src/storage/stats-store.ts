import type { ActivityAddition, ActivityCounts, ActivitySpan } from "../domain/activity.ts";
import type { DeadLetterReason } from "../domain/end-reason.ts";
import type { Instant, Message } from "../domain/message.ts";
import type { ForecastSchedule } from "../domain/schedules/forecast/runs-to-come.ts";

/** A look at messages in one of the two lists that each target has, target by target. */
export interface WalkRequest {
  readonly accountId: string;
  /** Null: all targets of the account. */
  readonly targetId: string | null;
  /** Where an earlier call ended, as the store has written it. Null: at the beginning. */
  readonly after: string | null;
}

export interface CountRequest extends WalkRequest {
  readonly list: "scheduled" | "dead-letters";
  /** In ascending order, at least two. A message counts between two edges, the first of them included. */
  readonly edges: readonly Instant[];
}

export interface CountSlice {
  /** For each pair of neighbouring edges: how many messages this call has counted. */
  readonly counts: readonly number[];
  /** Where this call ended; null: nothing is left to count. */
  readonly reached: string | null;
}

export interface GroupRequest extends WalkRequest {
  /** Only the newest dead letters of each target, so many. */
  readonly mostOfOne: number;
}

/** Dead letters of one target that ended in the same way. */
export interface DeadLetterGroup {
  readonly targetId: string;
  /** Null: it ended before reasons were stored. */
  readonly reason: DeadLetterReason | null;
  /** The target's last answer; null if it gave none. */
  readonly statusCode: number | null;
  readonly count: number;
  readonly firstTime: Instant;
  readonly lastTime: Instant;
  /** The newest. */
  readonly sample: Message;
}

export interface GroupSlice {
  readonly groups: readonly DeadLetterGroup[];
  /** False: a target had more dead letters than were looked at. */
  readonly exact: boolean;
  readonly reached: string | null;
}

export interface ScheduleSlice {
  readonly schedules: readonly ForecastSchedule[];
  readonly reached: string | null;
}

export interface OverdueRequest {
  /** Messages that were due at this instant or earlier. */
  readonly until: Instant;
  /** Where an earlier call ended, as the store has written it. Null: at the beginning. */
  readonly after: string | null;
  /** Only the first messages of each target, at least so many if there are so many. */
  readonly mostOfOne: number;
}

export interface OverdueSlice {
  /** How many messages this call has counted. */
  readonly count: number;
  /** When the one of them that has waited longest was due; null: there is none. */
  readonly oldestDueAt: Instant | null;
  readonly reached: string | null;
}

export interface ActivityQuery {
  readonly accountId: string;
  /** Null: all targets of the account together. */
  readonly targetId: string | null;
  readonly span: ActivitySpan;
  readonly from: Instant;
  /** Not included. */
  readonly until: Instant;
}

export interface StoredActivity {
  readonly time: Instant;
  readonly counts: ActivityCounts;
}

export interface TargetLookRequest {
  readonly accountId: string;
  readonly targets: readonly {
    readonly targetKey: number;
    /** So many due messages are counted at most. */
    readonly mostDue: number;
  }[];
  /** Of each target, so many dead letters are counted at most. */
  readonly mostDead: number;
  /** A message is due at this instant or earlier. */
  readonly dueUntil: Instant;
  /** Attempts count from this minute on. */
  readonly activeFrom: Instant;
}

/** What one target has. */
export interface TargetLook {
  /** In an attempt or not. */
  readonly due: number;
  readonly dead: number;
  readonly activity: ActivityCounts;
}

/**
 * What statistics are made of. The verbs that read take a bounded time each, and no delivery, claim or call
 * of another noun waits for one.
 */
export interface StatsStore {
  /** Adds the counts to the rows that there are. Each call is one commit. */
  addActivity(additions: readonly ActivityAddition[]): Promise<void>;
  /** Rows with anything in them, in the order of their times. An unknown target has none. */
  readActivity(query: ActivityQuery): Promise<readonly StoredActivity[]>;
  /**
   * Looks at a bounded number of messages. Dead letters whose time is over count until they are removed, a
   * moment later.
   */
  countMessages(request: CountRequest): Promise<CountSlice>;
  /**
   * Looks at a bounded number of due messages, of all accounts, in an attempt or not. Those of paused
   * targets and suspended accounts do not count.
   */
  countOverdue(request: OverdueRequest): Promise<OverdueSlice>;
  /** Looks at a bounded number of dead letters. A group may be in several slices. */
  groupDeadLetters(request: GroupRequest): Promise<GroupSlice>;
  /** Looks at a bounded number of schedules, by their ids, and answers with those that have a run to come. */
  walkSchedules(request: WalkRequest): Promise<ScheduleSlice>;
  /** Looks at the first of these targets, in their order: at least at one, and at as many as a bounded time allows. */
  lookAtTargets(request: TargetLookRequest): Promise<readonly TargetLook[]>;
  /** For each target, how many of its messages are in an attempt, on whichever node. Tests are not among them. */
  countInFlight(targetKeys: readonly number[]): Promise<readonly number[]>;
}
