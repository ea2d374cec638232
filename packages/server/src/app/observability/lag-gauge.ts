import { Gauge } from "@prometheus-io/client";
import type { Registry } from "@prometheus-io/client";
import type { Clock } from "../../platform/clock.ts";
import type { AgeGaugeOptions } from "./age-gauge.ts";

/**
 * How long the next thing to do has been due; 0 while it is not. It grows by itself: a part that no longer gets to know
 * what is due is late with it. NaN until the part knows for the first time.
 */
export class LagGauge {
  readonly #clock: Pick<Clock, "monotonic">;
  #dueAt = Number.NaN;

  constructor(registry: Registry, clock: Pick<Clock, "monotonic">, options: AgeGaugeOptions) {
    this.#clock = clock;
    const lagMs = (): number => Math.max(0, clock.monotonic() - this.#dueAt);
    void new Gauge({
      ...options,
      registers: [registry],
      collect() {
        this.set(lagMs() / 1_000);
      },
    });
  }

  /** Negative if it is overdue; null if there is nothing to do. */
  dueIn(ms: number | null): void {
    this.#dueAt = this.#clock.monotonic() + (ms ?? Infinity);
  }
}
