import type { Credential } from "../../domain/access.ts";

export interface LookUp {
  /** Minus infinity: something has changed since. */
  since: number;
  /** By the monotonic clock: when the credential itself runs out. */
  readonly until: number;
  readonly credential: Credential;
}

/** What one account may have of a full memory before it makes room for others. */
const shareOfOne = 1 / 8;

/**
 * The credentials that were good at the last look, by themselves, so many at most. Where there is no room
 * for one more the oldest goes: of an account that has more than its share, and of all only where there is
 * none. So no account can have those of others forgotten by using many of its own.
 */
export class KnownCredentials {
  readonly #capacity: number;
  readonly #share: number;
  // A map compares texts only where their hashes agree, and those are seeded anew in every process, so
  // how long it takes says nothing about what it holds.
  readonly #lookUps = new Map<string, LookUp>();
  readonly #ofAccount = new Map<string, Set<string>>();
  /** A handful at most: those with more than their share. */
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

  /** As the newest. */
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
