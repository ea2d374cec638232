import type { DatabaseSync } from "node:sqlite";
import type { Transaction } from "../../database/transaction.ts";

const none: ReadonlySet<number> = new Set();

/**
 * Which targets have a row of health, by account. The rows do not name their account, so without this one account would
 * read the rows of all to find its own.
 */
export class TargetsWithHealth {
  readonly #transaction: Transaction;
  readonly #byAccount = new Map<number, Set<number>>();

  constructor(db: DatabaseSync, transaction: Transaction) {
    this.#transaction = transaction;
    const select = db.prepare(
      "SELECT account_key, target_key FROM target_health CROSS JOIN targets USING (target_key)",
    );
    for (const row of select.iterate()) {
      this.#put(row["account_key"] as number, row["target_key"] as number);
    }
  }

  of(accountKey: number): ReadonlySet<number> {
    return this.#byAccount.get(accountKey) ?? none;
  }

  add(accountKey: number, targetKey: number): void {
    if (this.of(accountKey).has(targetKey)) return;
    this.#put(accountKey, targetKey);
    this.#transaction.onRollback(() => this.#take(accountKey, targetKey));
  }

  /** Of a target that has one. */
  delete(accountKey: number, targetKey: number): void {
    this.#take(accountKey, targetKey);
    this.#transaction.onRollback(() => this.#put(accountKey, targetKey));
  }

  #put(accountKey: number, targetKey: number): void {
    const keys = this.#byAccount.get(accountKey);
    if (keys === undefined) this.#byAccount.set(accountKey, new Set([targetKey]));
    else keys.add(targetKey);
  }

  #take(accountKey: number, targetKey: number): void {
    const keys = this.#byAccount.get(accountKey);
    keys?.delete(targetKey);
    if (keys?.size === 0) this.#byAccount.delete(accountKey);
  }
}
