/**
 * The attempts that may run at once in this process. No target can take them all: it may hold as many
 * as it leaves free (the dynamic threshold of shared-buffer switches), so whoever comes next still
 * finds room.
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

  get free(): number {
    return this.#limit - this.#taken;
  }

  /** How many of the wanted slots a target that holds `held` may take now; they are taken. */
  take(wanted: number, held: number): number {
    const share = Math.max(Math.floor((this.free - held) / 2), held === 0 && this.free > 0 ? 1 : 0);
    const granted = Math.max(0, Math.min(wanted, share));
    this.#taken += granted;
    return granted;
  }

  giveBack(count: number): void {
    this.#taken -= count;
  }
}
