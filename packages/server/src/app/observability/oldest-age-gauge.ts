import { Gauge } from "@prometheus-io/client";
import type { Registry } from "@prometheus-io/client";
import type { Clock } from "../../platform/clock.ts";
import type { AgeGaugeOptions } from "./age-gauge.ts";

/** Of several things that go on: how long ago the one that has waited longest went on. 0 without any. */
export class OldestAgeGauge {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #lastAt = new Map<string, number>();

  constructor(registry: Registry, clock: Pick<Clock, "monotonic">, options: AgeGaugeOptions) {
    this.#clock = clock;
    const lastAt = this.#lastAt;
    void new Gauge({
      ...options,
      registers: [registry],
      collect() {
        const now = clock.monotonic();
        const oldest = lastAt.values().reduce((one, other) => Math.min(one, other), now);
        this.set((now - oldest) / 1_000);
      },
    });
  }

  /** From now on these go on, and no others. */
  follow(ids: readonly string[]): void {
    const followed = new Set(ids);
    for (const id of this.#lastAt.keys()) if (!followed.has(id)) this.#lastAt.delete(id);
    for (const id of followed) if (!this.#lastAt.has(id)) this.happened(id);
  }

  /** One of those that are followed has gone on. */
  happened(id: string): void {
    this.#lastAt.set(id, this.#clock.monotonic());
  }
}
