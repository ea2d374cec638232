/**
 * Lets any number of claims through at once, but none while this process compares the claims in the
 * database with those it knows: a claim that it has made and does not know yet must not count as
 * lost.
 */
export class ClaimGate {
  #passing = new Set<Promise<unknown>>();
  #closed: Promise<unknown> | undefined;

  async pass<T>(claim: () => Promise<T>): Promise<T> {
    while (this.#closed !== undefined) await this.#closed;
    const passing = claim();
    const settled = passing.catch(() => {});
    this.#passing.add(settled);
    try {
      return await passing;
    } finally {
      this.#passing.delete(settled);
    }
  }

  async closeFor(compare: () => Promise<void>): Promise<void> {
    while (this.#closed !== undefined) await this.#closed;
    const closed = Promise.all(this.#passing).then(compare);
    this.#closed = closed.catch(() => {});
    try {
      await closed;
    } finally {
      this.#closed = undefined;
    }
  }
}
