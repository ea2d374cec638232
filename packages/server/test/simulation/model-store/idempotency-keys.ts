import type { KeyOutcome } from "../../../src/domain/message-key.ts";
import type { Instant, Message } from "../../../src/domain/message.ts";
import { SortedList } from "./sorted-list.ts";

export interface UsedKey {
  readonly accountId: string;
  readonly key: string;
  readonly fingerprint: string;
  /** What the first call was answered. */
  readonly answer: { readonly message: Message; readonly keyOutcome?: KeyOutcome };
  readonly expirationTime: Instant;
}

function byExpiry(one: UsedKey, other: UsedKey): number {
  if (one.expirationTime !== other.expirationTime) return one.expirationTime - other.expirationTime;
  if (one.accountId !== other.accountId) return one.accountId < other.accountId ? -1 : 1;
  return one.key < other.key ? -1 : Number(one.key > other.key);
}

function nameOf({ accountId, key }: Pick<UsedKey, "accountId" | "key">): string {
  return JSON.stringify([accountId, key]);
}

export class IdempotencyKeys {
  readonly #used = new Map<string, UsedKey>();
  readonly #expiring = new SortedList(byExpiry);

  /** Undefined if the key was never used, or so long ago that it no longer counts. */
  find(accountId: string, key: string, now: Instant): UsedKey | undefined {
    const used = this.#used.get(nameOf({ accountId, key }));
    return used !== undefined && used.expirationTime > now ? used : undefined;
  }

  keep(used: UsedKey): void {
    const before = this.#used.get(nameOf(used));
    if (before !== undefined) this.#remove(before);
    this.#used.set(nameOf(used), used);
    this.#expiring.add(used);
  }

  get nextExpiry(): Instant | null {
    return this.#expiring.first?.expirationTime ?? null;
  }

  removeExpired(now: Instant, limit: number): number {
    const old = this.#expiring.firstWhile(limit, ({ expirationTime }) => expirationTime <= now);
    for (const used of old) this.#remove(used);
    return old.length;
  }

  removeOf(accountId: string, limit: number): number {
    const own = this.#used
      .values()
      .filter((used) => used.accountId === accountId)
      .take(limit)
      .toArray();
    for (const used of own) this.#remove(used);
    return own.length;
  }

  #remove(used: UsedKey): void {
    this.#used.delete(nameOf(used));
    this.#expiring.remove(used);
  }
}
