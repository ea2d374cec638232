export interface FairShareOptions {
  readonly limit: number;
  /** Each holder may have this much, whatever the others hold, even if that exceeds the limit. */
  readonly guaranteed: number;
  /** A holder may have this many times what it leaves free. The default is 1. */
  readonly multiple?: number;
}

/**
 * Shares a limited amount among holders. Each may hold at most a multiple of what it leaves free (the
 * dynamic threshold of shared-buffer switches). So no holder can take everything, and the next one
 * finds room.
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

  /** Whether a holder that has `held` may take `wanted` more. */
  fits(wanted: number, held: number): boolean {
    const free = this.#limit - this.#taken - wanted;
    const most = Math.max(this.#multiple * free, this.#guaranteed);
    return held + wanted <= most || (held === 0 && free >= 0);
  }

  /** Takes `wanted` if it fits. */
  take(wanted: number, held: number): boolean {
    if (!this.fits(wanted, held)) return false;
    this.#taken += wanted;
    return true;
  }

  /** Takes even beyond the limit, for what can no longer be refused. */
  overdraw(count: number): void {
    this.#taken += count;
  }

  giveBack(count: number): void {
    this.#taken -= count;
  }
}
