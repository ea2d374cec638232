import type { RequestedChange } from "../../../domain/transitions.ts";
import type { ChangeResult } from "../../store.ts";
import type { StoredMessage } from "../rows/message-columns.ts";
import type { Transaction } from "../database/transaction.ts";

/** A cancel or reschedule that waits for the outcome of the attempt in flight. */
export interface WaitingChange extends RequestedChange {
  settle(result: ChangeResult): void;
}

/** While a claim stands, its message's row does not change: a change waits, or is refused. */
export interface HeldClaim extends StoredMessage {
  readonly epoch: number;
  readonly waitingChanges: Set<WaitingChange>;
}

/**
 * Says which holder has claimed which message. One process owns the embedded store, so claims need
 * no rows: a crash voids them all, as a restart should. A rollback undoes every change made here.
 */
export class ClaimBook {
  readonly #transaction: Transaction;
  readonly #held = new Map<number, HeldClaim>();
  readonly #countByTarget = new Map<number, number>();

  constructor(transaction: Transaction) {
    this.#transaction = transaction;
  }

  get(messageKey: number): HeldClaim | undefined {
    return this.#held.get(messageKey);
  }

  get count(): number {
    return this.#held.size;
  }

  countOf(targetKey: number): number {
    return this.#countByTarget.get(targetKey) ?? 0;
  }

  take(claim: HeldClaim): void {
    this.#put(claim);
    this.#transaction.onRollback(() => this.#drop(claim));
  }

  end(claim: HeldClaim): void {
    this.#drop(claim);
    this.#transaction.onRollback(() => this.#put(claim));
  }

  wait(claim: HeldClaim, change: WaitingChange): void {
    claim.waitingChanges.add(change);
    this.#transaction.onRollback(() => claim.waitingChanges.delete(change));
  }

  /** Voids every claim, as a restart does. Each waiting change is told that nothing has changed. */
  clear(): void {
    for (const claim of this.#held.values()) {
      for (const change of claim.waitingChanges) change.settle({ kind: "in-flight" });
    }
    this.#held.clear();
    this.#countByTarget.clear();
  }

  #put(claim: HeldClaim): void {
    this.#held.set(claim.messageKey, claim);
    this.#countByTarget.set(claim.targetKey, this.countOf(claim.targetKey) + 1);
  }

  #drop(claim: HeldClaim): void {
    this.#held.delete(claim.messageKey);
    const left = this.countOf(claim.targetKey) - 1;
    if (left > 0) this.#countByTarget.set(claim.targetKey, left);
    else this.#countByTarget.delete(claim.targetKey);
  }
}
