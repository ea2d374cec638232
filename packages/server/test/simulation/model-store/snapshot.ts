import type { Attempt } from "../../../src/domain/attempt.ts";
import type { LoggedEvent } from "../../../src/domain/events/event.ts";
import type { Job } from "../../../src/domain/job.ts";
import type { TrackedMessage } from "../../../src/domain/message.ts";
import type { Schedule } from "../../../src/domain/schedules/schedule.ts";
import type { DatabaseState } from "./database-state.ts";
import type { StoredMessage } from "./message-table.ts";
import type { ScheduleEvent } from "./schedule-journal.ts";
import { unmadeRunsOf } from "./schedule-table.ts";

/** Everything in the database at one moment, whether or not a caller can still see it. */
export interface Snapshot {
  readonly messages: readonly MessageSnapshot[];
  /** Messages of recurring schedules that are not in it any more. */
  readonly removedOfSchedules: readonly MessageSnapshot[];
  readonly claims: readonly ClaimSnapshot[];
  readonly usage: readonly UsageSnapshot[];
  readonly schedules: readonly ScheduleSnapshot[];
  readonly scheduleJournal: readonly ScheduleEvent[];
  readonly jobJournal: readonly Job[];
  /** The logs of accounts, by their ids. */
  readonly events: ReadonlyMap<string, readonly LoggedEvent[]>;
}

export interface ScheduleSnapshot {
  readonly scheduleKey: number;
  readonly schedule: Schedule;
  /** How many of its rows have no message. */
  readonly unmadeRuns: number;
}

export interface MessageSnapshot {
  readonly accountId: string;
  readonly targetKey: number;
  readonly message: TrackedMessage;
  readonly payload: string;
  readonly attempts: readonly Attempt[];
}

export interface ClaimSnapshot {
  readonly messageId: string;
  readonly targetKey: number;
  readonly version: number;
  readonly nodeId: string | null;
  readonly epoch: number;
  /** How many cancels and reschedules wait for its outcome. */
  readonly waiting: number;
}

export interface UsageSnapshot {
  readonly accountId: string;
  readonly month: string;
  readonly used: number;
  readonly limit: number | null;
}

export function takeSnapshot({
  messages,
  claims,
  memberships,
  usage,
  accounts,
  schedules,
  scheduleJournal,
  jobs,
  events,
}: DatabaseState): Snapshot {
  return {
    messages: [...messages.all()].map(messageSnapshot),
    removedOfSchedules: messages.removedOfSchedules.map(messageSnapshot),
    claims: [...claims.all()].map(({ messageId, targetKey, version, epoch, waitingChanges }) => ({
      messageId,
      targetKey,
      version,
      nodeId: memberships.get(epoch)?.nodeId ?? null,
      epoch,
      waiting: waitingChanges.size,
    })),
    usage: [...usage.all()].map((used) => ({
      ...used,
      limit: accounts.get(used.accountId)?.account.monthlyMessageLimit ?? null,
    })),
    schedules: schedules.all().map((kept) => ({
      ...{ scheduleKey: kept.scheduleKey, schedule: kept.schedule },
      unmadeRuns: unmadeRunsOf(kept).length,
    })),
    scheduleJournal: scheduleJournal.slice(),
    jobJournal: jobs.journal.slice(),
    events: new Map(
      [...accounts.keys()].map((accountId) => [accountId, events.eventsOf(accountId).slice()]),
    ),
  };
}

function messageSnapshot(stored: StoredMessage): MessageSnapshot {
  const { accountId, targetKey, message, payload, attempts } = stored;
  return { accountId, targetKey, message, payload, attempts: attempts.slice() };
}
