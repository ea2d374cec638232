import type { DatabaseSync } from "node:sqlite";
import { maskOfAccount, maskOfTarget } from "../../../../domain/events/event-endpoint.ts";
import type { EventFilter } from "../../../../domain/events/event-endpoint.ts";
import type { EventMask } from "../../../../domain/events/event-types.ts";
import type { Transaction } from "../../database/transaction.ts";

/** When more are known, all are forgotten. */
const mostKnown = 10_000;

export interface ToldTarget {
  readonly accountKey: number;
  readonly mask: EventMask;
}

interface KnownTarget extends ToldTarget {
  /** Those of the account that the mask follows from. Once it has others, the mask is outdated. */
  readonly filters: readonly EventFilter[] | undefined;
}

/**
 * Which events somebody is told about. It is kept in memory, because every change of a message asks. The rows of the
 * endpoints and this are changed together, and a rollback undoes both.
 */
export class EventMasks {
  readonly #transaction: Transaction;
  readonly #selectTarget;
  /** Only accounts that have an endpoint. */
  readonly #filters = new Map<number, readonly EventFilter[]>();
  readonly #ofTargets = new Map<number, KnownTarget>();

  constructor(db: DatabaseSync, transaction: Transaction) {
    this.#transaction = transaction;
    this.#selectTarget = db.prepare(
      "SELECT account_key, target_id FROM targets WHERE target_key = ?",
    );
    const rows = db.prepare("SELECT account_key, filter FROM event_endpoints").all();
    const byAccount = Map.groupBy(rows, (row) => row["account_key"] as number);
    for (const [accountKey, some] of byAccount) {
      const filters = some.map((row) => JSON.parse(row["filter"] as string) as EventFilter);
      this.#filters.set(accountKey, filters);
    }
  }

  /** Whether anybody is told about anything. All other questions cost more than this one. */
  get areAny(): boolean {
    return this.#filters.size > 0;
  }

  ofTarget(targetKey: number): ToldTarget {
    const known = this.#ofTargets.get(targetKey);
    if (known !== undefined && known.filters === this.#filters.get(known.accountKey)) return known;
    const row = this.#selectTarget.get(targetKey)!;
    const accountKey = row["account_key"] as number;
    const mask = this.ofTargetId(accountKey, row["target_id"] as string);
    if (this.#ofTargets.size >= mostKnown) this.#ofTargets.clear();
    this.#ofTargets.set(targetKey, { accountKey, mask, filters: this.#filters.get(accountKey) });
    // If the target is new and undone with this, another one gets its key.
    this.#transaction.onRollback(() => this.#ofTargets.delete(targetKey));
    return { accountKey, mask };
  }

  /** Null: of what concerns no target. */
  ofTargetId(accountKey: number, targetId: string | null): EventMask {
    const filters = this.#filters.get(accountKey);
    if (filters === undefined) return 0;
    return targetId === null ? maskOfAccount(filters) : maskOfTarget(filters, targetId);
  }

  filtersOf(accountKey: number): readonly EventFilter[] {
    return this.#filters.get(accountKey) ?? [];
  }

  /** The filters of all endpoints that the account has now. What is known of other accounts stays known. */
  set(accountKey: number, filters: readonly EventFilter[]): void {
    const before = this.filtersOf(accountKey);
    this.#put(accountKey, filters);
    this.#transaction.onRollback(() => this.#put(accountKey, before));
  }

  #put(accountKey: number, filters: readonly EventFilter[]): void {
    if (filters.length === 0) this.#filters.delete(accountKey);
    else this.#filters.set(accountKey, filters);
  }
}
