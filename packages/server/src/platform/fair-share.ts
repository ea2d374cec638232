/**
 * The most that one holder may have of what the others leave: a multiple of what it leaves free itself.
 * This is the dynamic threshold of shared-buffer switches. With a multiple of one, a single holder gets
 * half and two greedy ones get a third each; with eight, eight ninths and eight seventeenths. So there is
 * always something free for the next holder.
 */
export function fairShareOf(left: number, multiple: number): number {
  return Math.floor((multiple * left) / (multiple + 1));
}

export interface FairShareOptions {
  readonly limit: number;
  /** What each holder may have whatever the others hold, even beyond the limit. */
  readonly guaranteed: number;
  /** How many times what it leaves free a holder may have; left out: once. */
  readonly multiple?: number;
}

/** Something of which there is so much, given to each holder at once or refused. */
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
    const left = this.#limit - this.#taken + held;
    const most = Math.max(fairShareOf(left, this.#multiple), this.#guaranteed);
    return held + wanted <= most || (held === 0 && wanted <= left);
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
