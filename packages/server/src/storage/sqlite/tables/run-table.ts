import type { DatabaseSync } from "node:sqlite";
import type { Instant } from "../../../domain/message.ts";
import {
  runOutcomes,
  runReasons,
  runTriggers,
  triggersByTime,
} from "../../../domain/schedules/run.ts";
import type { Run } from "../../../domain/schedules/run.ts";
import { formatMessageId, parseMessageId, sequenceOf } from "../../../platform/message-ids.ts";
import { insertInto } from "../rows/rows.ts";
import type { Values } from "../rows/rows.ts";
import type { MovedRuns } from "./moved-runs.ts";

export interface KeptRun extends Run {
  /** When to look whether its message has ended; null: that does not matter. */
  readonly judgeTime: Instant | null;
  readonly expirationTime: Instant;
}

const columns = [
  ...["schedule_key", "run_time", "trigger", "outcome", "reason", "message_id"],
  ...["judge_time", "expiration_time"],
] as const;

const read = "run_time, trigger, outcome, reason, message_id";

/** More than there are without a message. Backfills leave more with one, and a look must not read them all. */
const mostRowsLookedAt = 2_000;

/** What became of the run times of schedules. */
export class RunTable {
  readonly #movedRuns: Pick<MovedRuns, "addExpired">;
  readonly #put;
  readonly #select;
  readonly #selectCreated;
  readonly #selectSince;
  readonly #selectMade;
  readonly #selectLatestMade;
  readonly #selectBefore;
  readonly #setJudgeTime;
  readonly #delete;
  readonly #deleteAll;
  readonly #deleteUnmade;
  readonly #deleteExpired;

  constructor(db: DatabaseSync, movedRuns: Pick<MovedRuns, "addExpired">) {
    this.#movedRuns = movedRuns;
    this.#put = db.prepare(insertInto("schedule_runs", columns, "INSERT OR REPLACE"));
    this.#select = db.prepare(
      `SELECT ${read} FROM schedule_runs WHERE schedule_key = ? AND run_time = ?`,
    );
    this.#select.setReturnArrays(true);
    this.#selectCreated = db.prepare(
      `SELECT 1 FROM schedule_runs
       WHERE schedule_key = ? AND run_time = ? AND outcome = ${runOutcomes.indexOf("CREATED")}
         AND expiration_time > ?`,
    );
    this.#selectSince = db.prepare(
      `SELECT ${read} FROM schedule_runs WHERE schedule_key = ? AND run_time > ? ORDER BY run_time`,
    );
    this.#selectSince.setReturnArrays(true);
    const byTime = triggersByTime.map((trigger) => runTriggers.indexOf(trigger)).join(", ");
    this.#selectMade = db.prepare(
      `SELECT ${read} FROM schedule_runs
       WHERE schedule_key = ? AND run_time <= ? AND run_time > ? AND message_id IS NOT NULL
         AND trigger IN (${byTime})
       ORDER BY run_time DESC LIMIT ?`,
    );
    this.#selectMade.setReturnArrays(true);
    this.#selectLatestMade = db.prepare(
      `SELECT ${read} FROM (SELECT ${read} FROM schedule_runs WHERE schedule_key = ?
         ORDER BY run_time DESC LIMIT ${mostRowsLookedAt})
       WHERE message_id IS NOT NULL AND trigger IN (${byTime})
       ORDER BY run_time DESC LIMIT ?`,
    );
    this.#selectLatestMade.setReturnArrays(true);
    this.#selectBefore = db.prepare(
      `SELECT ${read} FROM schedule_runs
       WHERE schedule_key = ? AND run_time < ? AND expiration_time > ?
       ORDER BY run_time DESC LIMIT ?`,
    );
    this.#selectBefore.setReturnArrays(true);
    this.#setJudgeTime = db.prepare(
      `UPDATE schedule_runs SET judge_time = ?, expiration_time = max(expiration_time, ?)
       WHERE schedule_key = ? AND run_time = ?`,
    );
    this.#delete = db.prepare("DELETE FROM schedule_runs WHERE schedule_key = ? AND run_time = ?");
    // The primary key has the same columns, and runs with a message between.
    const unmade = "schedule_runs INDEXED BY schedule_runs_unmade";
    this.#deleteUnmade = db.prepare(
      `DELETE FROM ${unmade} WHERE schedule_key = :schedule AND message_id IS NULL AND run_time <=
         (SELECT run_time FROM ${unmade} WHERE schedule_key = :schedule AND message_id IS NULL
          ORDER BY run_time DESC LIMIT 1 OFFSET :most)`,
    );
    this.#deleteAll = db.prepare(
      `DELETE FROM schedule_runs WHERE (schedule_key, run_time) IN
         (SELECT schedule_key, run_time FROM schedule_runs WHERE schedule_key = ? LIMIT ?)`,
    );
    this.#deleteExpired = db.prepare(
      `DELETE FROM schedule_runs WHERE (schedule_key, run_time) IN
         (SELECT schedule_key, run_time FROM schedule_runs WHERE expiration_time <= ?
          ORDER BY expiration_time LIMIT ?)
       RETURNING schedule_key, run_time, trigger, message_id`,
    );
    this.#deleteExpired.setReturnArrays(true);
  }

  /** A row with the same time is replaced. */
  put(scheduleKey: number, run: KeptRun): void {
    this.#put.run(
      scheduleKey,
      run.runTime,
      runTriggers.indexOf(run.trigger),
      runOutcomes.indexOf(run.outcome),
      run.reason === null ? null : runReasons.indexOf(run.reason),
      run.messageId === null ? null : parseMessageId(run.messageId)!.bytes,
      run.judgeTime,
      run.expirationTime,
    );
  }

  at(scheduleKey: number, runTime: Instant): Run | undefined {
    const row = this.#select.get(scheduleKey, runTime) as Values | undefined;
    return row && readRun(row);
  }

  /** Whether a run was created for this time. */
  isCreated(scheduleKey: number, runTime: Instant, now: Instant): boolean {
    return this.#selectCreated.get(scheduleKey, runTime, now) !== undefined;
  }

  /** Of run times after this one, in their order. */
  since(scheduleKey: number, time: Instant): Run[] {
    return (this.#selectSince.all(scheduleKey, time) as unknown as Values[]).map(readRun);
  }

  /** Those by time with a message, of times up to `until` and after `since`: the newest first. */
  made(scheduleKey: number, until: Instant, since: Instant, limit: number): Run[] {
    const rows = this.#selectMade.all(scheduleKey, until, since, limit);
    return (rows as unknown as Values[]).map(readRun);
  }

  /** Those by time with a message, the newest first. */
  latestMade(scheduleKey: number, limit: number): Run[] {
    const rows = this.#selectLatestMade.all(scheduleKey, limit);
    return (rows as unknown as Values[]).map(readRun);
  }

  /** The newest first. */
  before(scheduleKey: number, time: Instant | null, now: Instant, limit: number): Run[] {
    const rows = this.#selectBefore.all(
      ...[scheduleKey, time ?? Number.MAX_SAFE_INTEGER, now, limit],
    );
    return (rows as unknown as Values[]).map(readRun);
  }

  /** Null: nobody need look at its message any more. The row stays at least until `keptUntil`. */
  setJudgeTime(
    scheduleKey: number,
    runTime: Instant,
    judgeTime: Instant | null,
    keptUntil: Instant,
  ): void {
    this.#setJudgeTime.run(judgeTime, keptUntil, scheduleKey, runTime);
  }

  remove(scheduleKey: number, runTime: Instant): void {
    this.#delete.run(scheduleKey, runTime);
  }

  /** Of the rows without a message only so many stay, the latest. */
  keepLatestUnmade(scheduleKey: number, most: number): void {
    this.#deleteUnmade.run({ schedule: scheduleKey, most });
  }

  /** Removes up to `limit` rows of a schedule. */
  removeAll(scheduleKey: number, limit: number): number {
    return Number(this.#deleteAll.run(scheduleKey, limit).changes);
  }

  /** Removes up to `limit` rows that have expired, and answers with how many. */
  removeExpired(now: Instant, limit: number): number {
    const rows = this.#deleteExpired.all(now, limit) as unknown as Values[];
    for (const row of rows) {
      const [scheduleKey, runTime, trigger, id] = row as [
        number,
        number,
        number,
        Uint8Array | null,
      ];
      if (id === null) continue;
      this.#movedRuns.addExpired({ scheduleKey, runTime, trigger, messageKey: sequenceOf(id) });
    }
    return rows.length;
  }
}

function readRun(row: Values): Run {
  const [runTime, trigger, outcome, reason, messageId] = row as [
    ...[number, number, number, number | null],
    Uint8Array | null,
  ];
  return {
    runTime,
    trigger: runTriggers[trigger]!,
    outcome: runOutcomes[outcome]!,
    reason: reason === null ? null : runReasons[reason]!,
    messageId: messageId === null ? null : formatMessageId(messageId),
  };
}
