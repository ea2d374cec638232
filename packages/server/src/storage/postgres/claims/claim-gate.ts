/**
 * Lets claims through, any number at once, except while what they left behind is being compared with
 * what this process holds: a claim that is made but not yet known of must not be taken for a lost one.
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
