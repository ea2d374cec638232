import type { DatabaseSync } from "node:sqlite";
import type { Usage } from "../../../domain/usage.ts";
import type { Transaction } from "../database/transaction.ts";

interface Counter extends Usage {
  used: number;
  readonly written: number;
}

/**
 * How many messages each account has scheduled in a month. Calls that share a commit count in
 * memory, and an account's sum is written once, at the end. So counting costs a batch hardly more
 * than a single call.
 */
export class UsageCounters {
  readonly #transaction: Transaction;
  readonly #selectLimit;
  readonly #selectUsed;
  readonly #updateLimit;
  readonly #write;
  /** The counters of the transaction under way. */
  readonly #counting = new Map<number, Counter>();

  constructor(db: DatabaseSync, transaction: Transaction) {
    this.#transaction = transaction;
    this.#selectLimit = db.prepare(
      "SELECT monthly_message_limit AS value FROM accounts WHERE account_key = ?",
    );
    this.#selectUsed = db.prepare(
      "SELECT used AS value FROM monthly_usage WHERE month = ? AND account_key = ?",
    );
    this.#updateLimit = db.prepare(
      "UPDATE accounts SET monthly_message_limit = ? WHERE account_key = ?",
    );
    this.#write = db.prepare(
      `INSERT INTO monthly_usage (month, account_key, used) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET used = excluded.used`,
    );
  }

  hasRoom(accountKey: number, month: string): boolean {
    const { used, limit } = this.#counterOf(accountKey, month);
    return limit === null || used < limit;
  }

  count(accountKey: number, month: string): void {
    this.#counterOf(accountKey, month).used++;
  }

  usageOf(accountKey: number, month: string): Usage {
    const counting = this.#counting.get(accountKey);
    const { used, limit } = counting?.month === month ? counting : this.#read(accountKey, month);
    return { month, used, limit };
  }

  setLimit(accountKey: number, limit: number | null): void {
    this.#updateLimit.run(limit, accountKey);
    // The next count reads the new limit.
    this.#persist(accountKey);
  }

  /** Runs last before a commit. */
  persistAll(): void {
    for (const accountKey of this.#counting.keys()) this.#persist(accountKey);
  }

  #counterOf(accountKey: number, month: string): Counter {
    const known = this.#counting.get(accountKey);
    if (known?.month === month) return known;
    this.#persist(accountKey);
    const counter = this.#read(accountKey, month);
    this.#counting.set(accountKey, counter);
    this.#transaction.onRollback(() => this.#counting.delete(accountKey));
    return counter;
  }

  #read(accountKey: number, month: string): Counter {
    const limit = this.#selectLimit.get(accountKey)?.["value"] as number | null;
    const used = (this.#selectUsed.get(month, accountKey)?.["value"] as number | undefined) ?? 0;
    return { month, used, limit, written: used };
  }

  #persist(accountKey: number): void {
    const counter = this.#counting.get(accountKey);
    if (counter === undefined) return;
    const { month, used, written } = counter;
    if (used !== written) this.#write.run(month, accountKey, used);
    this.#counting.delete(accountKey);
  }
}
