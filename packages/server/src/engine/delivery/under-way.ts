/** Tracks work that runs in the background, so that a stop can wait for all of it. */
export class UnderWay {
  readonly #works = new Set<Promise<void>>();
  readonly #onFailed: (error: unknown) => void;

  constructor(onFailed: (error: unknown) => void) {
    this.#onFailed = onFailed;
  }

  track(work: Promise<void>): void {
    const tracked = work.catch(this.#onFailed).finally(() => this.#works.delete(tracked));
    this.#works.add(tracked);
  }

  /** Also waits for work that begins meanwhile. */
  async allEnded(): Promise<void> {
    while (this.#works.size > 0) await Promise.all(this.#works);
  }
}
