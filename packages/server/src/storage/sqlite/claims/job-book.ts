import type { Transaction } from "../database/transaction.ts";
import type { Holder } from "../../store.ts";

/**
 * Says which jobs the node holds. As with claims, one process owns the store, so this needs no rows: a
 * membership ends with the process, or when the node joins again.
 */
export class JobBook {
  readonly #transaction: Transaction;
  #member: Holder | undefined;
  #held = new Set<number>();

  constructor(transaction: Transaction) {
    this.#transaction = transaction;
  }

  /** Begins a membership, which holds no job yet. Every earlier one has ended. */
  begin(member: Holder): void {
    const [before, held] = [this.#member, this.#held];
    this.#member = member;
    this.#held = new Set();
    this.#transaction.onRollback(() => {
      this.#member = before;
      this.#held = held;
    });
  }

  isMember({ nodeId, epoch }: Holder): boolean {
    return this.#member?.nodeId === nodeId && this.#member.epoch === epoch;
  }

  holds(jobKey: number): boolean {
    return this.#held.has(jobKey);
  }

  take(jobKey: number): void {
    const held = this.#held;
    held.add(jobKey);
    this.#transaction.onRollback(() => held.delete(jobKey));
  }
}
