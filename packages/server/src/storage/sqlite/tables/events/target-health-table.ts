import type { DatabaseSync } from "node:sqlite";
import type { HealthCoverage } from "../../../../domain/events/event-endpoint.ts";
import { unknownHealth } from "../../../../domain/events/target-health.ts";
import type { TargetHealth } from "../../../../domain/events/target-health.ts";
import type { Transaction } from "../../database/transaction.ts";
import { TargetsWithHealth } from "./targets-with-health.ts";

/** When more are known, all are forgotten. */
const mostKnown = 10_000;

/** How the latest attempts at targets went. Only of those that fail and that somebody is told about. */
export class TargetHealthTable {
  readonly #transaction: Transaction;
  readonly #rows: TargetsWithHealth;
  readonly #select;
  readonly #selectKeys;
  readonly #write;
  readonly #delete;
  readonly #deleteAll;
  readonly #known = new Map<number, TargetHealth>();

  constructor(db: DatabaseSync, transaction: Transaction) {
    this.#transaction = transaction;
    this.#rows = new TargetsWithHealth(db, transaction);
    this.#select = db.prepare(
      "SELECT failed_attempts, since, failing FROM target_health WHERE target_key = ?",
    );
    this.#selectKeys = db.prepare(
      `SELECT target_key FROM targets
       WHERE account_key = ? AND target_id IN (SELECT value FROM json_each(?))`,
    );
    this.#write = db.prepare(
      `INSERT INTO target_health (target_key, failed_attempts, since, failing) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET failed_attempts = excluded.failed_attempts,
         since = excluded.since, failing = excluded.failing`,
    );
    this.#delete = db.prepare("DELETE FROM target_health WHERE target_key = ?");
    this.#deleteAll = db.prepare(
      "DELETE FROM target_health WHERE target_key IN (SELECT value FROM json_each(?))",
    );
  }

  of(targetKey: number): TargetHealth {
    const known = this.#known.get(targetKey);
    if (known !== undefined) return known;
    const row = this.#select.get(targetKey);
    const health =
      row === undefined
        ? unknownHealth
        : {
            failedAttempts: row["failed_attempts"] as number,
            since: row["since"] as number | null,
            isFailing: row["failing"] === 1,
          };
    this.#keep(targetKey, health);
    return health;
  }

  put(accountKey: number, targetKey: number, health: TargetHealth): void {
    const { failedAttempts, since, isFailing } = health;
    if (failedAttempts === 0) return this.forget(accountKey, targetKey);
    this.#write.run(targetKey, failedAttempts, since, Number(isFailing));
    this.#rows.add(accountKey, targetKey);
    this.#keep(targetKey, health);
  }

  /** The target succeeded, or it was removed: another life begins with a clean record. */
  forget(accountKey: number, targetKey: number): void {
    if (!this.#rows.of(accountKey).has(targetKey)) return;
    this.#delete.run(targetKey);
    this.#rows.delete(accountKey, targetKey);
    this.#keep(targetKey, unknownHealth);
  }

  /**
   * Nobody is told any more how some of the account's targets do, so nobody looks at them either. It costs as much as
   * there is to forget: who changes filters again and again pays once, and no other account's targets are looked at.
   */
  forgetUntold(accountKey: number, before: HealthCoverage, after: HealthCoverage): void {
    const kept = this.#rows.of(accountKey);
    if (after === "all" || kept.size === 0) return;
    const untold = this.#untold(accountKey, before, after).filter((key) => kept.has(key));
    if (untold.length === 0) return;
    this.#deleteAll.run(JSON.stringify(untold));
    for (const targetKey of untold) {
      this.#rows.delete(accountKey, targetKey);
      this.#known.delete(targetKey);
    }
  }

  #untold(
    accountKey: number,
    before: HealthCoverage,
    after: ReadonlySet<string>,
  ): readonly number[] {
    if (before !== "all") {
      return this.#keysOf(
        accountKey,
        [...before].filter((targetId) => !after.has(targetId)),
      );
    }
    const told = new Set(this.#keysOf(accountKey, [...after]));
    return [...this.#rows.of(accountKey)].filter((key) => !told.has(key));
  }

  #keysOf(accountKey: number, targetIds: readonly string[]): number[] {
    if (targetIds.length === 0) return [];
    const rows = this.#selectKeys.all(accountKey, JSON.stringify(targetIds));
    return rows.map((row) => row["target_key"] as number);
  }

  #keep(targetKey: number, health: TargetHealth): void {
    if (this.#known.size >= mostKnown) this.#known.clear();
    this.#known.set(targetKey, health);
    this.#transaction.onRollback(() => this.#known.delete(targetKey));
  }
}
