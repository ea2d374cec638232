export interface FairShareOptions {
  readonly limit: number;
  /** What each holder may have whatever the others hold, and be it beyond the limit. */
  readonly guaranteed: number;
  /** How many times what it leaves free a holder may have; left out: once. */
  readonly multiple?: number;
}

/**
 * Something of which there is so much, shared by those who come. Nobody can take it all: each may hold
 * a multiple of what it leaves free (the dynamic threshold of shared-buffer switches), so whoever comes
 * next finds room.
 */
export class FairShare {
  readonly #limit: number;
  readonly #guaranteed: number;
  readonly #multiple: number;
  #taken = 0;

  constructor({ limit, guaranteed, multiple = 1 }: FairShareOptions) {
    this.#limit = limit;
    this.#guaranteed = guaranteed;
    this.#multiple = multiple;
  }

  /** Whether a holder of `held` may have so much more now. */
  fits(wanted: number, held: number): boolean {
    const free = this.#limit - this.#taken - wanted;
    const most = Math.max(this.#multiple * free, this.#guaranteed);
    return held + wanted <= most || (held === 0 && free >= 0);
  }

  /** Takes it, if it fits. */
  take(wanted: number, held: number): boolean {
    if (!this.fits(wanted, held)) return false;
    this.#taken += wanted;
    return true;
  }

  /** Takes what cannot be refused any more. */
  overdraw(count: number): void {
    this.#taken += count;
  }

  giveBack(count: number): void {
    this.#taken -= count;
  }
}
