import { Gauge } from "@prometheus-io/client";
import type { Registry } from "@prometheus-io/client";
import type { Clock } from "../../platform/clock.ts";

export interface AgeGaugeOptions {
  readonly name: string;
  readonly help: string;
}

/** How long ago something happened last; NaN if it never did in this process. */
export class AgeGauge {
  readonly #clock: Pick<Clock, "monotonic">;
  #lastAt = Number.NaN;

  constructor(registry: Registry, clock: Pick<Clock, "monotonic">, options: AgeGaugeOptions) {
    this.#clock = clock;
    const ageMs = (): number => clock.monotonic() - this.#lastAt;
    void new Gauge({
      ...options,
      registers: [registry],
      collect() {
        this.set(ageMs() / 1_000);
      },
    });
  }

  /** `at`: by the monotonic clock; now if it is left out. */
  happened(at = this.#clock.monotonic()): void {
    this.#lastAt = at;
  }
}
