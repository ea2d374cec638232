/** Work under way that a stopping server ends early. */
export interface Stoppable {
  stop(): void;
}

/**
 * Uses one listener per signal, however many attempts share the signal. With thousands of attempts in
 * flight, a listener for each would cost a search through all the others.
 */
export class AbortListeners {
  readonly #bySignal = new WeakMap<AbortSignal, Set<Stoppable>>();

  add(signal: AbortSignal, stoppable: Stoppable): void {
    let stoppables = this.#bySignal.get(signal);
    if (stoppables === undefined) {
      const created = new Set<Stoppable>();
      signal.addEventListener("abort", () => stopAll(created), { once: true });
      this.#bySignal.set(signal, created);
      stoppables = created;
    }
    stoppables.add(stoppable);
  }

  remove(signal: AbortSignal, stoppable: Stoppable): void {
    this.#bySignal.get(signal)?.delete(stoppable);
  }
}

function stopAll(stoppables: ReadonlySet<Stoppable>): void {
  for (const stoppable of stoppables) stoppable.stop();
}
