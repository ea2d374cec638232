import type { Clock } from "../../../src/platform/clock.ts";
import type { ClockStep } from "../../history/history.ts";
import type { SimulatedTime } from "./simulated-time.ts";

/** The clock of the store's machine, which is set now and then. */
export class SteppingClock implements Clock {
  readonly #time: SimulatedTime;
  readonly steps: ClockStep[] = [];
  #offMs = 0;

  constructor(time: SimulatedTime) {
    this.#time = time;
  }

  now(): number {
    return this.#time.now() + this.#offMs;
  }

  monotonic(): number {
    return this.#time.monotonic();
  }

  /** How far the clock is off. */
  get offMs(): number {
    return this.#offMs;
  }

  step(byMs: number): void {
    this.steps.push({ at: this.#time.now(), byMs });
    this.#offMs += byMs;
  }
}
