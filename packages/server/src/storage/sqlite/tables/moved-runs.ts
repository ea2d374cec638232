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

/** Runs by time whose messages callers have moved, and those that were made again after their time. */
export class MovedRuns {
  readonly #insert;
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
         AND r.trigger IN (${triggersByTime.map((trigger) => runTriggers.indexOf(trigger)).join(", ")})`,
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

  /** The rows of the message and of its run are written already. */
  add(messageKey: number, { scheduleId, runTime }: MadeBySchedule): void {
    this.#insert.run(scheduleId, runTime, messageKey);
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
