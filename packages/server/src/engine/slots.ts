/**
 * The attempts that may run at once in this process, shared out so that no target can take them all: a
 * target may hold as many as are still free (the dynamic threshold of shared-buffer switches). One
 * target alone gets half; n that hang get 1/(n+1) each, and as much again stays free for the next.
 */
export class Slots {
  readonly #limit: number;
  #taken = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get taken(): number {
    return this.#taken;
  }

  /** How many of the wanted slots a target that holds `held` may take now; they are taken. */
  take(wanted: number, held: number): number {
    const free = this.#limit - this.#taken;
    const share = Math.max(Math.floor((free - held) / 2), held === 0 && free > 0 ? 1 : 0);
    const granted = Math.max(0, Math.min(wanted, share));
    this.#taken += granted;
    return granted;
  }

  giveBack(count: number): void {
    this.#taken -= count;
  }
}
