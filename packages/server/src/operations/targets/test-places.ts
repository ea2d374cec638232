/** Enough for a person, or for a deployment that tests its targets one by one. */
const mostOfAccount = 4;
const mostOfAll = 256;

export interface TestPlace {
  /** Call it at most once. */
  giveBack(): void;
}

/**
 * Limits how many test deliveries run at once in this process. An account may have a few, and fewer when
 * fewer places are free. Even if a hundred accounts take all they can, an account without a test still
 * finds a place.
 */
export class TestPlaces {
  readonly #ofAccount = new Map<string, number>();
  #taken = 0;

  /**
   * Returns undefined if the account must wait until one of its own tests ends, or one of another account.
   */
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
