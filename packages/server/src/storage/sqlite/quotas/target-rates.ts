import type { DatabaseSync } from "node:sqlite";
import type { Instant } from "../../../domain/message.ts";
import { rateAllowance, rateOpensAt, spendRate } from "../../../domain/rate-limit.ts";
import type { FullAt, RateLimit } from "../../../domain/rate-limit.ts";
import type { Transaction } from "../database/transaction.ts";

/** What a target's rate allows at one instant, and how to spend it. */
export interface Rate {
  readonly allowance: number;
  spend(count: number): void;
  /** How long until the next attempt may start; 0: it may start now. */
  closedMs(): number;
}

const unlimited: Rate = { allowance: Infinity, spend: () => {}, closedMs: () => 0 };

const fewestPruned = 1_000;

/**
 * The instant at which each target's bucket of attempts is full again. A claim spends in memory,
 * without a commit. The next commit writes what was spent, at the latest with the attempt's own
 * outcome. So a restart forgets only attempts that were never recorded.
 */
export class TargetRates {
  readonly #transaction: Transaction;
  readonly #select;
  readonly #write;
  readonly #remove;
  readonly #fullAt = new Map<number, FullAt>();
  readonly #unwritten = new Set<number>();
  #pruneAt = fewestPruned;

  constructor(db: DatabaseSync, transaction: Transaction) {
    this.#transaction = transaction;
    this.#select = db.prepare("SELECT full_at AS fullAt FROM target_rates WHERE target_key = ?");
    this.#write = db.prepare(
      `INSERT INTO target_rates (target_key, full_at) VALUES (?, ?)
       ON CONFLICT DO UPDATE SET full_at = excluded.full_at`,
    );
    this.#remove = db.prepare("DELETE FROM target_rates WHERE target_key = ?");
  }

  of(targetKey: number, limitText: string | null, now: Instant): Rate {
    if (limitText === null) return unlimited;
    const limit = JSON.parse(limitText) as RateLimit;
    // Limited by the current rate: spending under another rate must not keep the target closed.
    const kept = this.#read(targetKey);
    let fullAt = spendRate(limit, kept, now, 0);
    // The correction is stored: otherwise the bound would move with the clock.
    if (fullAt < kept) this.#keep(targetKey, fullAt, now);
    return {
      allowance: rateAllowance(limit, fullAt, now),
      spend: (count) => {
        if (count === 0) return;
        fullAt = spendRate(limit, fullAt, now, count);
        this.#keep(targetKey, fullAt, now);
      },
      closedMs: () =>
        rateAllowance(limit, fullAt, now) > 0
          ? 0
          : Math.max(1, rateOpensAt(limit, fullAt, now) - now),
    };
  }

  /** The target was removed and created again, so it begins with a full bucket. */
  forget(targetKey: number): void {
    this.#fullAt.delete(targetKey);
    this.#unwritten.delete(targetKey);
    this.#remove.run(targetKey);
  }

  /** Runs last before a commit. */
  persistAll(): void {
    if (this.#unwritten.size === 0) return;
    const written = [...this.#unwritten];
    for (const targetKey of written) this.#write.run(targetKey, this.#fullAt.get(targetKey) ?? 0);
    this.#unwritten.clear();
    this.#transaction.onRollback(() => {
      for (const targetKey of written) this.#unwritten.add(targetKey);
    });
  }

  #read(targetKey: number): FullAt {
    const known = this.#fullAt.get(targetKey);
    if (known !== undefined) return known;
    const kept = (this.#select.get(targetKey)?.["fullAt"] as number | undefined) ?? -Infinity;
    this.#fullAt.set(targetKey, kept);
    return kept;
  }

  #keep(targetKey: number, fullAt: FullAt, now: Instant): void {
    const before = this.#fullAt.get(targetKey)!;
    this.#transaction.onRollback(() => this.#fullAt.set(targetKey, before));
    this.#fullAt.set(targetKey, fullAt);
    this.#unwritten.add(targetKey);
    if (this.#fullAt.size >= this.#pruneAt) this.#prune(now);
  }

  /** Forgets buckets that are full again, once their rows say so too. */
  #prune(now: Instant): void {
    for (const [targetKey, fullAt] of this.#fullAt) {
      if (fullAt <= now && !this.#unwritten.has(targetKey)) this.#fullAt.delete(targetKey);
    }
    this.#pruneAt = Math.max(fewestPruned, 2 * this.#fullAt.size);
  }
}
