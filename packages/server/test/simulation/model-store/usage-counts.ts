import type { Account } from "../../../src/domain/account.ts";

/** How many messages each account has scheduled, by month. */
export class UsageCounts {
  readonly #used: Map<string, Map<string, number>>;

  constructor(used = new Map<string, Map<string, number>>()) {
    this.#used = used;
  }

  of(accountId: string, month: string): number {
    return this.#used.get(accountId)?.get(month) ?? 0;
  }

  /** Counts one more message if the account's limit has room for it. Returns false if not. */
  admit({ accountId, monthlyMessageLimit: limit }: Account, month: string): boolean {
    const used = this.of(accountId, month);
    if (limit !== null && used >= limit) return false;
    this.count(accountId, month);
    return true;
  }

  count(accountId: string, month: string): void {
    const months = this.#used.get(accountId) ?? new Map<string, number>();
    this.#used.set(accountId, months);
    months.set(month, (months.get(month) ?? 0) + 1);
  }

  *all(): Generator<{
    readonly accountId: string;
    readonly month: string;
    readonly used: number;
  }> {
    for (const [accountId, months] of this.#used) {
      for (const [month, used] of months) yield { accountId, month, used };
    }
  }

  forgetBefore(month: string, limit: number): number {
    const old = this.all()
      .filter((each) => each.month < month)
      .take(limit)
      .toArray();
    for (const each of old) this.#used.get(each.accountId)!.delete(each.month);
    return old.length;
  }

  copy(): UsageCounts {
    return new UsageCounts(
      new Map(this.#used.entries().map(([accountId, months]) => [accountId, new Map(months)])),
    );
  }
}
