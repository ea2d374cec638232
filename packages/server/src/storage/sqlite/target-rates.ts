import type { Instant } from "../../domain/message.ts";
import { rateAllowance, rateOpensAt, spendRate } from "../../domain/rate-limit.ts";
import type { FullAt, RateLimit } from "../../domain/rate-limit.ts";
import type { Transaction } from "./transaction.ts";

/** What a target's rate allows at one instant, and how to spend of it. */
export interface Rate {
  readonly allowance: number;
  spend(count: number): void;
  /** When the next attempt may start; null: at once. */
  opensAt(): Instant | null;
}

const unlimited: Rate = { allowance: Infinity, spend: () => {}, opensAt: () => null };

const fewestPruned = 1_000;

/**
 * When each target's bucket of attempts is full again, for claims and tests alike. Whoever dispatches
 * counts for itself, and knows nothing of the tests.
 */
export class TargetRates {
  readonly #transaction: Transaction;
  readonly #fullAt = new Map<number, FullAt>();
  #pruneAt = fewestPruned;

  constructor(transaction: Transaction) {
    this.#transaction = transaction;
  }

  of(targetKey: number, limitText: string | null, now: Instant): Rate {
    if (limitText === null) return unlimited;
    const limit = JSON.parse(limitText) as RateLimit;
    // Bounded by today's limit: what was spent under another one must not keep the target closed.
    let fullAt = spendRate(limit, this.#fullAt.get(targetKey) ?? 0, now, 0);
    return {
      allowance: rateAllowance(limit, fullAt, now),
      spend: (count) => {
        fullAt = spendRate(limit, fullAt, now, count);
        this.#keep(targetKey, fullAt, now);
      },
      opensAt: () =>
        rateAllowance(limit, fullAt, now) > 0 ? null : rateOpensAt(limit, fullAt, now),
    };
  }

  forget(targetKey: number): void {
    this.#fullAt.delete(targetKey);
  }

  #keep(targetKey: number, fullAt: FullAt, now: Instant): void {
    const before = this.#fullAt.get(targetKey);
    this.#transaction.onRollback(() => {
      if (before === undefined) this.#fullAt.delete(targetKey);
      else this.#fullAt.set(targetKey, before);
    });
    this.#fullAt.set(targetKey, fullAt);
    if (this.#fullAt.size >= this.#pruneAt) this.#prune(now);
  }

  /** A bucket that is full again need not be remembered. */
  #prune(now: Instant): void {
    for (const [targetKey, fullAt] of this.#fullAt) {
      if (fullAt <= now) this.#fullAt.delete(targetKey);
    }
    this.#pruneAt = Math.max(fewestPruned, 2 * this.#fullAt.size);
  }
}
