/**
 * How many steps a search may take: a month, a candidate or a stretch that is looked at is one. A caller
 * decides what is looked for, so this is what bounds the time that it takes.
 */
export class Effort {
  #steps = 0;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get steps(): number {
    return this.#steps;
  }

  get isSpent(): boolean {
    return this.#steps >= this.#most;
  }

  /** False if no step is left: the search ends without having looked at everything. */
  spend(): boolean {
    if (this.isSpent) return false;
    this.#steps++;
    return true;
  }
}
