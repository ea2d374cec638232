import { rateAllowance, spendRate } from "../../../domain/rate-limit.ts";
import type { FullAt } from "../../../domain/rate-limit.ts";
import type { Instant } from "../../../domain/message.ts";
import { requestTaken } from "../../request-taken.ts";
import type { RequestTake, RequestTaken } from "../../store.ts";
import type { Transaction } from "../database/transaction.ts";

/**
 * The instant at which each account's bucket of requests is full again. Kept in memory only: after
 * a restart all buckets are full.
 */
export class RequestBuckets {
  readonly #transaction: Transaction;
  readonly #fullAt = new Map<string, FullAt>();

  constructor(transaction: Transaction) {
    this.#transaction = transaction;
  }

  take({ accountId, limit }: RequestTake, now: Instant): RequestTaken {
    const before = this.#fullAt.get(accountId) ?? 0;
    const allowed = rateAllowance(limit, before, now) > 0;
    // A refusal spends nothing, but permanently corrects a bucket written under a longer limit.
    const after = spendRate(limit, before, now, Number(allowed));
    this.#fullAt.set(accountId, after);
    // If another call of the batch fails, the whole batch is tried again. No account pays twice.
    this.#transaction.onRollback(() => this.#fullAt.set(accountId, before));
    return requestTaken(allowed, limit, after, now);
  }

  forget(accountId: string): void {
    this.#fullAt.delete(accountId);
  }
}
