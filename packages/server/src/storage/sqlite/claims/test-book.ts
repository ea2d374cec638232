import type { TargetTest } from "../../store.ts";
import type { Transaction } from "../database/transaction.ts";

/** Test deliveries under way. As with claims, one process owns the store, so they need no rows. */
export class TestBook {
  readonly #transaction: Transaction;
  readonly #byTarget = new Map<number, Set<string>>();
  #lastKey = 0;

  constructor(transaction: Transaction) {
    this.#transaction = transaction;
  }

  get count(): number {
    return this.#byTarget.values().reduce((sum, tests) => sum + tests.size, 0);
  }

  countOf(targetKey: number): number {
    return this.#byTarget.get(targetKey)?.size ?? 0;
  }

  begin(accountId: string, targetKey: number): TargetTest {
    const test = { accountId, targetKey, testKey: String(++this.#lastKey) };
    const tests = this.#byTarget.get(targetKey) ?? new Set();
    this.#byTarget.set(targetKey, tests.add(test.testKey));
    this.#transaction.onRollback(() => this.end(test));
    return test;
  }

  end({ targetKey, testKey }: TargetTest): void {
    const tests = this.#byTarget.get(targetKey);
    tests?.delete(testKey);
    if (tests?.size === 0) this.#byTarget.delete(targetKey);
  }
}
