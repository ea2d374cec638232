/** Enough for a person, or a deployment that tries its targets one by one. */
const mostOfAccount = 4;
const mostOfAll = 256;

export interface TestPlace {
  /** At most once. */
  giveBack(): void;
}

/**
 * How many test deliveries run at once in this process. An account may have a few, and the fewer the
 * less is free: a hundred accounts that take what they can leave places for those that have none.
 */
export class TestPlaces {
  readonly #ofAccount = new Map<string, number>();
  #taken = 0;

  /** Undefined: the account must wait until one of its own tests has ended, or the others' have. */
  take(accountId: string): TestPlace | undefined {
    const held = this.#ofAccount.get(accountId) ?? 0;
    const share = Math.ceil((mostOfAccount * (mostOfAll - this.#taken)) / mostOfAll);
    if (held >= share) return undefined;
    this.#ofAccount.set(accountId, held + 1);
    this.#taken++;
    return { giveBack: () => this.#giveBack(accountId) };
  }

  #giveBack(accountId: string): void {
    const left = this.#ofAccount.get(accountId)! - 1;
    if (left === 0) this.#ofAccount.delete(accountId);
    else this.#ofAccount.set(accountId, left);
    this.#taken--;
  }
}
