import type { Instant } from "../../../domain/instant.ts";
import { runOutcomes, runReasons, runTriggers } from "../../../domain/schedules/run.ts";
import type { Run, RunOutcome } from "../../../domain/schedules/run.ts";
import type { Schedule, ScheduleProgress } from "../../../domain/schedules/schedule.ts";
import type { Row } from "../connections/connections.ts";
import type { GivenColumns } from "./given-columns.ts";
import { messageIdOf, rowKeyOf } from "./message-rows.ts";

/** What has a column of its own is not in the JSON as well. */
export function stateText(schedule: Schedule): string {
  return JSON.stringify({
    ...schedule,
    accountId: undefined,
    scheduleId: undefined,
    payload: undefined,
    progress: { ...schedule.progress, lookTime: undefined },
  });
}

/** Columns of `schedules` and of `schedule_states`. */
export interface ScheduleRow {
  readonly account_id: string;
  readonly schedule_id: string;
  readonly payload: Buffer;
  readonly look_time: Instant | null;
  readonly schedule: string;
}

/** Fills the parsed object in. A copy of it costs as much again, and a round reads a thousand. */
export function readSchedule(row: ScheduleRow): Schedule {
  const schedule = JSON.parse(row.schedule) as Writable<Schedule>;
  schedule.accountId = row.account_id;
  schedule.scheduleId = row.schedule_id;
  schedule.payload = row.payload.toString("utf8");
  (schedule.progress as Writable<ScheduleProgress>).lookTime = row.look_time;
  return schedule;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** A run as a step writes it. */
export interface WrittenRun {
  readonly scheduleKey: number;
  readonly run: Run;
  /** When to look whether its message has ended; null: the end does not count. */
  readonly judgeTime: number | null;
  readonly expirationTime: number;
}

export const runColumns: GivenColumns<WrittenRun> = {
  schedule_key: { type: "bigint", of: ({ scheduleKey }) => scheduleKey },
  run_time: { type: "bigint", of: ({ run }) => run.runTime },
  trigger: { type: "smallint", of: ({ run }) => runTriggers.indexOf(run.trigger) },
  outcome: { type: "smallint", of: ({ run }) => outcomeNumber(run.outcome) },
  reason: { type: "smallint", of: ({ run }) => run.reason && runReasons.indexOf(run.reason) },
  message_id: { type: "uuid", of: ({ run }) => run.messageId && rowKeyOf(run.messageId) },
  judge_time: { type: "bigint", of: ({ judgeTime }) => judgeTime },
  expiration_time: { type: "bigint", of: ({ expirationTime }) => expirationTime },
};

export function outcomeNumber(outcome: RunOutcome): number {
  return runOutcomes.indexOf(outcome);
}

export function readRun(row: Row): Run {
  return {
    runTime: row["run_time"],
    trigger: runTriggers[row["trigger"] as number]!,
    outcome: runOutcomes[row["outcome"] as number]!,
    reason: row["reason"] === null ? null : runReasons[row["reason"] as number]!,
    messageId: row["message_id"] === null ? null : messageIdOf(row["message_id"]),
  };
}
