import type { DatabaseSync } from "node:sqlite";
import { healthMask } from "../../../../domain/events/event-types.ts";
import { unknownHealth } from "../../../../domain/events/target-health.ts";
import type { TargetHealth } from "../../../../domain/events/target-health.ts";
import type { Transaction } from "../../database/transaction.ts";
import type { EventMasks } from "./event-masks.ts";

/** When more are known, all are forgotten. */
const mostKnown = 10_000;

/** How the latest attempts at targets went. Only of those that fail and that somebody is told about. */
export class TargetHealthTable {
  readonly #transaction: Transaction;
  readonly #masks: EventMasks;
  readonly #select;
  readonly #selectOfAccount;
  readonly #write;
  readonly #delete;
  readonly #known = new Map<number, TargetHealth>();

  constructor(db: DatabaseSync, transaction: Transaction, masks: EventMasks) {
    this.#transaction = transaction;
    this.#masks = masks;
    this.#select = db.prepare(
      "SELECT failed_attempts, since, failing FROM target_health WHERE target_key = ?",
    );
    // There are far fewer rows here than targets.
    this.#selectOfAccount = db.prepare(
      `SELECT target_key FROM target_health h CROSS JOIN targets t USING (target_key)
       WHERE t.account_key = ?`,
    );
    this.#write = db.prepare(
      `INSERT INTO target_health (target_key, failed_attempts, since, failing) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET failed_attempts = excluded.failed_attempts,
         since = excluded.since, failing = excluded.failing`,
    );
    this.#delete = db.prepare("DELETE FROM target_health WHERE target_key = ?");
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

  put(targetKey: number, health: TargetHealth): void {
    const { failedAttempts, since, isFailing } = health;
    if (failedAttempts === 0) this.#delete.run(targetKey);
    else this.#write.run(targetKey, failedAttempts, since, Number(isFailing));
    this.#keep(targetKey, health);
  }

  /** The target was removed: another life begins with a clean record. */
  forget(targetKey: number): void {
    this.put(targetKey, unknownHealth);
  }

  /** Nobody is told any more how some of the account's targets do, so nobody looks at them either. */
  forgetUntold(accountKey: number): void {
    for (const row of this.#selectOfAccount.all(accountKey)) {
      const targetKey = row["target_key"] as number;
      if ((this.#masks.ofTarget(targetKey).mask & healthMask) === 0) this.forget(targetKey);
    }
  }

  #keep(targetKey: number, health: TargetHealth): void {
    if (this.#known.size >= mostKnown) this.#known.clear();
    this.#known.set(targetKey, health);
    this.#transaction.onRollback(() => this.#known.delete(targetKey));
  }
}
