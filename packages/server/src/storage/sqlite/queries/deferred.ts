/** The answer of a call that has to wait for something. It is settled at most once. */
export class Deferred<T> {
  #settled: { readonly value: T } | undefined;
  #listener: ((value: T) => void) | undefined;

  settle(value: T): void {
    if (this.#settled !== undefined) return;
    this.#settled = { value };
    this.#listener?.(value);
  }

  whenSettled(listener: (value: T) => void): void {
    if (this.#settled !== undefined) listener(this.#settled.value);
    else this.#listener = listener;
  }
}
