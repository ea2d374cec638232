/**
 * The most that one holder may have of what the others leave: a multiple of what stays free. This is the
 * dynamic threshold of shared-buffer switches. With a multiple of one, a single holder gets half and two
 * greedy holders get a third each. With eight, they get eight ninths and eight seventeenths. So something
 * is always free for the next holder.
 */
export function fairShareOf(left: number, multiple: number): number {
  return Math.floor((multiple * left) / (multiple + 1));
}

export interface FairShareOptions {
  readonly limit: number;
  /** The amount that each holder may have whatever the others hold, even beyond the limit. */
  readonly guaranteed: number;
  /** A holder may have this many times what stays free. The default is one. */
  readonly multiple?: number;
}

/** A limited amount that several holders share. A request is granted or refused at once. */
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

  /** Whether a holder of `held` may take `wanted` more now. */
  fits(wanted: number, held: number): boolean {
    const left = this.#limit - this.#taken + held;
    const most = Math.max(fairShareOf(left, this.#multiple), this.#guaranteed);
    return held + wanted <= most || (held === 0 && wanted <= left);
  }

  /** Takes the amount if it fits. */
  take(wanted: number, held: number): boolean {
    if (!this.fits(wanted, held)) return false;
    this.#taken += wanted;
    return true;
  }

  /** Takes an amount that can no longer be refused. */
  overdraw(count: number): void {
    this.#taken += count;
  }

  giveBack(count: number): void {
    this.#taken -= count;
  }
}
