import { Counter } from "@prometheus-io/client";
import type { Registry } from "@prometheus-io/client";

export interface CountsOptions<Value extends string> {
  readonly name: string;
  readonly help: string;
  readonly label: string;
  /** All values of the label. */
  readonly values: readonly Value[];
}

/**
 * A counter by one label with known values. Each has a series from the first scrape on: one that is missing until
 * its first event hides that event from `increase`. The library would hash the label at every event; here an
 * event costs one look-up.
 */
export class Counts<Value extends string> {
  readonly #counts: Map<Value, number>;

  constructor(registry: Registry, { name, help, label, values }: CountsOptions<Value>) {
    const counts = new Map(values.map((value) => [value, 0]));
    this.#counts = counts;
    void new Counter({
      name,
      help,
      labelNames: [label],
      registers: [registry],
      collect() {
        this.reset();
        for (const [value, count] of counts) this.inc({ [label]: value }, count);
      },
    });
  }

  add(value: Value, count = 1): void {
    this.#counts.set(value, this.#counts.get(value)! + count);
  }
}
