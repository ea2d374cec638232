import type { DatabaseSync } from "node:sqlite";
import type { MadeBySchedule } from "../../../domain/message-options.ts";
import type { Instant, TrackedMessage } from "../../../domain/message.ts";
import { movedRun } from "../../../domain/schedules/moved-run.ts";
import { runTriggers, triggersByTime } from "../../../domain/schedules/run.ts";
import type { RunTrigger } from "../../../domain/schedules/run.ts";
import type { Values } from "../rows/rows.ts";

/** A run whose message may still be taken back, whenever its run time was. */
export interface MovedRun {
  readonly runTime: Instant;
  readonly trigger: RunTrigger;
  readonly messageKey: number;
}

/** As its row has it. */
export interface ExpiredRun {
  readonly scheduleKey: number;
  readonly runTime: Instant;
  readonly trigger: number;
  readonly messageKey: number;
}

const byTime = triggersByTime.map((trigger) => runTriggers.indexOf(trigger)).join(", ");

/**
 * Runs by time whose messages callers have moved, and those that were made again after their time. Also those whose
 * messages wait for longer than the rows of the runs are kept: a caller may still move them.
 */
export class MovedRuns {
  readonly #insert;
  readonly #insertExpired;
  readonly #setDueTime;
  readonly #select;
  readonly #delete;

  constructor(db: DatabaseSync) {
    // The message as it is now. A schedule that was created again has no such run.
    this.#insert = db.prepare(
      `INSERT OR REPLACE INTO moved_runs (message_key, schedule_key, run_time, trigger, due_time)
       SELECT m.message_key, r.schedule_key, r.run_time, r.trigger, m.next_delivery_time
       FROM messages m
       CROSS JOIN schedules s ON s.account_key = m.account_key AND s.schedule_id = ?
       CROSS JOIN schedule_runs r ON r.schedule_key = s.schedule_key AND r.run_time = ?
         AND r.message_id = m.message_id
       WHERE m.message_key = ?
         AND r.trigger IN (${byTime})`,
    );
    this.#insertExpired = db.prepare(
      `INSERT OR IGNORE INTO moved_runs (message_key, schedule_key, run_time, trigger, due_time)
       SELECT message_key, :schedule, :runTime, :trigger, next_delivery_time FROM messages
       WHERE message_key = :message AND next_delivery_time IS NOT NULL AND attempt_count = 0
         AND :trigger IN (${byTime})`,
    );
    this.#setDueTime = db.prepare(
      `UPDATE moved_runs SET due_time =
         (SELECT next_delivery_time FROM messages m WHERE m.message_key = moved_runs.message_key)
       WHERE message_key = ?`,
    );
    this.#select = db.prepare(
      `SELECT run_time, trigger, message_key FROM moved_runs
       WHERE schedule_key = ? AND due_time > ? ORDER BY due_time DESC LIMIT ?`,
    );
    this.#select.setReturnArrays(true);
    this.#delete = db.prepare("DELETE FROM moved_runs WHERE message_key = ?");
  }

  /** The row of the message is written already. */
  update(messageKey: number, before: TrackedMessage, after: TrackedMessage): void {
    const moved = movedRun(before, after);
    if (moved === "moved") this.add(messageKey, after.options!.schedule!);
    else if (moved === "over") this.remove(messageKey);
  }

  /** The row of the message is written already, and that of its run, unless it has expired. */
  add(messageKey: number, { scheduleId, runTime }: MadeBySchedule): void {
    const isKnown = this.#setDueTime.run(messageKey).changes > 0;
    if (!isKnown) this.#insert.run(scheduleId, runTime, messageKey);
  }

  /** The row of this run goes. The run stays known if its message was never attempted and still waits. */
  addExpired({ scheduleKey, runTime, trigger, messageKey }: ExpiredRun): void {
    this.#insertExpired.run({ schedule: scheduleKey, runTime, trigger, message: messageKey });
  }

  /** Those of a schedule that are due after this instant, in the order of their run times. */
  after(scheduleKey: number, time: Instant, limit: number): MovedRun[] {
    const rows = this.#select.all(scheduleKey, time, limit) as unknown as Values[];
    return rows.map(readMoved).toSorted((one, other) => one.runTime - other.runTime);
  }

  remove(messageKey: number): void {
    this.#delete.run(messageKey);
  }
}

function readMoved(row: Values): MovedRun {
  const [runTime, trigger, messageKey] = row as [number, number, number];
  return { runTime, trigger: runTriggers[trigger]!, messageKey };
}
