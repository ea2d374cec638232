import type { Credential } from "../../domain/access.ts";

export interface LookUp {
  /** When the look-up began. Minus infinity if something has changed since. */
  since: number;
  /** When the credential expires, by the monotonic clock. */
  readonly until: number;
  readonly credential: Credential;
}

/** If the memory is full, an account with more than this share makes room first. */
const shareOfOne = 1 / 8;

/**
 * Remembers a bounded number of credentials that were valid at the last look-up. If there is no room for one
 * more, it drops the oldest of an account that has more than its share. If there is no such account, it
 * drops the oldest of all. So an account that uses many credentials does not displace those of others.
 */
export class KnownCredentials {
  readonly #capacity: number;
  readonly #share: number;
  // A map compares strings only if their hashes agree, and each process has its own random seed for these
  // hashes. So the time of a look-up says nothing about the credentials in the map.
  readonly #lookUps = new Map<string, LookUp>();
  readonly #ofAccount = new Map<string, Set<string>>();
  /** The sets of accounts with more than their share. There are only a few. */
  readonly #large = new Set<Set<string>>();

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#share = Math.floor(capacity * shareOfOne);
  }

  get(bearer: string): LookUp | undefined {
    return this.#lookUps.get(bearer);
  }

  has(bearer: string): boolean {
    return this.#lookUps.has(bearer);
  }

  values(): Iterable<LookUp> {
    return this.#lookUps.values();
  }

  /** Adds the look-up as the newest. */
  set(bearer: string, lookUp: LookUp): void {
    this.delete(bearer);
    if (this.#lookUps.size >= this.#capacity) this.#dropOne();
    this.#lookUps.set(bearer, lookUp);
    const { accountId } = lookUp.credential.account;
    const own = this.#ofAccount.get(accountId) ?? new Set();
    this.#ofAccount.set(accountId, own.add(bearer));
    if (own.size > this.#share) this.#large.add(own);
  }

  delete(bearer: string): void {
    const lookUp = this.#lookUps.get(bearer);
    if (lookUp === undefined) return;
    this.#lookUps.delete(bearer);
    const { accountId } = lookUp.credential.account;
    const own = this.#ofAccount.get(accountId)!;
    own.delete(bearer);
    if (own.size <= this.#share) this.#large.delete(own);
    if (own.size === 0) this.#ofAccount.delete(accountId);
  }

  #dropOne(): void {
    const [large] = this.#large;
    const [oldest] = large ?? this.#lookUps.keys();
    if (oldest !== undefined) this.delete(oldest);
  }
}
