export interface FairShareOptions {
  readonly limit: number;
  /** What each holder may have whatever the others hold, and be it beyond the limit. */
  readonly guaranteed: number;
}

/**
 * Something of which there is so much, shared by those who come. Nobody can take it all: each may hold
 * as much as it leaves free (the dynamic threshold of shared-buffer switches), so whoever comes next
 * finds room.
 */
export class FairShare {
  readonly #limit: number;
  readonly #guaranteed: number;
  #taken = 0;

  constructor({ limit, guaranteed }: FairShareOptions) {
    this.#limit = limit;
    this.#guaranteed = guaranteed;
  }

  /** Whether a holder of `held` may have so much more now. */
  fits(wanted: number, held: number): boolean {
    const free = this.#limit - this.#taken - wanted;
    return held + wanted <= Math.max(free, this.#guaranteed) || (held === 0 && free >= 0);
  }

  /** Takes it, if it fits. */
  take(wanted: number, held: number): boolean {
    if (!this.fits(wanted, held)) return false;
    this.#taken += wanted;
    return true;
  }

  giveBack(count: number): void {
    this.#taken -= count;
  }
}
