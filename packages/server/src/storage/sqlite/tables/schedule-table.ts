import type { DatabaseSync } from "node:sqlite";
import type { Schedule, ScheduleDefinition } from "../../../domain/schedules/schedule.ts";
import { heldLookTime } from "../../held-schedules.ts";
import type { ScheduleRef } from "../../store.ts";
import type { Transaction } from "../database/transaction.ts";
import { assignments, insertInto } from "../rows/rows.ts";
import type { Values, ValuesOf } from "../rows/rows.ts";
import type { Accounts } from "./accounts.ts";

/** What steps change. The rest is the definition, which callers change. */
type ScheduleState = Omit<Schedule, keyof ScheduleDefinition | keyof ScheduleRef | "creationTime">;

export interface StoredSchedule {
  readonly scheduleKey: number;
  readonly accountKey: number;
  readonly schedule: Schedule;
}

/** Columns that each step writes. SQLite writes all indexes anew that have one of these, also if nothing changes. */
const stepping = ["look_time", "state"] as const;
/** Columns that a pause or a caller's change may write besides. */
const listed = ["target_id", "paused"] as const;

/** The whole schedule as JSON, without its payload: the two parts of it, which are never empty, made one. */
export const scheduleText =
  "substr(definition, 1, length(definition) - 1) || ',' || substr(state, 2)";

/** What `readSchedule` reads. */
/** Without its payload, which is the last column and may be long. */
export const listedColumns = `schedule_key, account_key, look_time, ${scheduleText}, ''`;

export const scheduleColumns = `schedule_key, account_key, look_time, ${scheduleText}, payload`;

export const fromSchedules = "FROM schedules CROSS JOIN schedule_definitions USING (schedule_key)";

/** When more are known, all are forgotten. */
const mostCounts = 10_000;

/** Reads and writes single schedules. The domain decides what becomes of them. */
export class ScheduleTable {
  readonly #accounts: Accounts;
  readonly #transaction: Transaction;
  readonly #select;
  readonly #selectByKey;
  readonly #selectTarget;
  readonly #count;
  readonly #insert;
  readonly #insertDefinition;
  readonly #step;
  readonly #list;
  readonly #updateDefinition;
  readonly #hold;
  readonly #delete;
  readonly #deleteDefinition;
  /** One process owns the store, so an account's schedules need to be counted only once. */
  readonly #counts = new Map<number, number>();

  constructor(db: DatabaseSync, accounts: Accounts, transaction: Transaction) {
    this.#accounts = accounts;
    this.#transaction = transaction;
    this.#select = db.prepare(
      `SELECT ${scheduleColumns} ${fromSchedules} WHERE account_key = ? AND schedule_id = ?`,
    );
    this.#select.setReturnArrays(true);
    this.#selectByKey = db.prepare(
      `SELECT ${scheduleColumns} ${fromSchedules} WHERE schedule_key = ?`,
    );
    this.#selectByKey.setReturnArrays(true);
    this.#selectTarget = db.prepare(
      "SELECT 1 FROM schedules WHERE account_key = ? AND target_id = ? LIMIT 1",
    );
    this.#count = db.prepare("SELECT count(*) AS count FROM schedules WHERE account_key = ?");
    this.#insert = db.prepare(
      insertInto("schedules", ["account_key", "schedule_id", ...stepping, ...listed]),
    );
    this.#insertDefinition = db.prepare("INSERT INTO schedule_definitions VALUES (?, ?, ?)");
    this.#step = db.prepare(`UPDATE schedules SET ${assignments(stepping)} WHERE schedule_key = ?`);
    this.#list = db.prepare(`UPDATE schedules SET ${assignments(listed)} WHERE schedule_key = ?`);
    this.#updateDefinition = db.prepare(
      "UPDATE schedule_definitions SET definition = ?, payload = ? WHERE schedule_key = ?",
    );
    this.#hold = db.prepare(
      `UPDATE schedules SET look_time = ${heldLookTime} WHERE schedule_key = ?`,
    );
    this.#delete = db.prepare("DELETE FROM schedules WHERE schedule_key = ?");
    this.#deleteDefinition = db.prepare("DELETE FROM schedule_definitions WHERE schedule_key = ?");
  }

  find({ accountId, scheduleId }: ScheduleRef): StoredSchedule | undefined {
    const accountKey = this.#accounts.keyOf(accountId);
    if (accountKey === undefined) return undefined;
    const row = this.#select.get(accountKey, scheduleId) as Values | undefined;
    return row && readSchedule(row);
  }

  /** By its own key, whoever it belongs to. */
  byKey(scheduleKey: number): StoredSchedule | undefined {
    const row = this.#selectByKey.get(scheduleKey) as Values | undefined;
    return row && readSchedule(row);
  }

  /** Whether schedules make messages for this target. */
  areFor(accountKey: number, targetId: string): boolean {
    return this.#selectTarget.get(accountKey, targetId) !== undefined;
  }

  countOf(accountKey: number): number {
    const known = this.#counts.get(accountKey);
    if (known !== undefined) return known;
    const counted = this.#count.get(accountKey)!["count"] as number;
    if (this.#counts.size >= mostCounts) this.#counts.clear();
    this.#counts.set(accountKey, counted);
    this.#forgetOnRollback(accountKey);
    return counted;
  }

  /** Answers with its key. */
  insert(accountKey: number, schedule: Schedule): number {
    this.#countBy(accountKey, 1);
    const values = [...steppingValues(schedule), ...listedValues(schedule)];
    const inserted = this.#insert.run(accountKey, schedule.scheduleId, ...values);
    const scheduleKey = Number(inserted.lastInsertRowid);
    this.#insertDefinition.run(scheduleKey, definitionText(schedule), schedule.payload);
    return scheduleKey;
  }

  update({ scheduleKey, schedule: before }: StoredSchedule, schedule: Schedule): void {
    if (schedule === before) return;
    this.#step.run(...steppingValues(schedule), scheduleKey);
    const isListedAnew =
      schedule.targetId !== before.targetId || isPaused(schedule) !== isPaused(before);
    if (isListedAnew) this.#list.run(...listedValues(schedule), scheduleKey);
    // Only callers change the definition, and each of their changes is a revision.
    if (schedule.revision !== before.revision) {
      this.#updateDefinition.run(definitionText(schedule), schedule.payload, scheduleKey);
    }
  }

  /** Nothing but the time of the next look changes. */
  hold(scheduleKey: number): void {
    this.#hold.run(scheduleKey);
  }

  /** The rows of its runs stay. */
  remove({ scheduleKey, accountKey }: Pick<StoredSchedule, "scheduleKey" | "accountKey">): void {
    this.#countBy(accountKey, -1);
    this.#delete.run(scheduleKey);
    this.#deleteDefinition.run(scheduleKey);
  }

  #countBy(accountKey: number, change: 1 | -1): void {
    const known = this.#counts.get(accountKey);
    if (known === undefined) return;
    this.#counts.set(accountKey, known + change);
    this.#forgetOnRollback(accountKey);
  }

  #forgetOnRollback(accountKey: number): void {
    this.#transaction.onRollback(() => this.#counts.delete(accountKey));
  }
}

function steppingValues(schedule: Schedule): ValuesOf<typeof stepping> {
  const { revision, updateTime, pause, skips, nextRunTime, lastRun, progress } = schedule;
  const state = { revision, updateTime, pause, skips, nextRunTime, lastRun, progress };
  return [progress.lookTime, JSON.stringify(state satisfies ScheduleState)];
}

function definitionText(schedule: Schedule): string {
  const state: Record<keyof ScheduleState | "payload", undefined> = {
    ...{ revision: undefined, updateTime: undefined, pause: undefined, skips: undefined },
    ...{ nextRunTime: undefined, lastRun: undefined, progress: undefined, payload: undefined },
  };
  return JSON.stringify({ ...schedule, ...state });
}

function listedValues(schedule: Schedule): ValuesOf<typeof listed> {
  return [schedule.targetId, Number(isPaused(schedule))];
}

function isPaused({ pause }: Schedule): boolean {
  return pause !== null;
}

export function readSchedule(row: Values): StoredSchedule {
  const [scheduleKey, accountKey, lookTime, text, payload] = row as [
    ...[number, number, number | null],
    ...[string, string],
  ];
  const kept = JSON.parse(text) as Omit<Schedule, "payload">;
  // Onto what was just read: a copy would cost as much again.
  const schedule = Object.assign(kept, { payload, progress: { ...kept.progress, lookTime } });
  return { scheduleKey, accountKey, schedule };
}
