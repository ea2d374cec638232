import type { Clock } from "../../platform/clock.ts";
import type { StoreClock } from "../store.ts";

/**
 * The database's clock as this process knows it: monotonic time plus an offset, so that this
 * machine's wall clock does not matter. Each reading of the database's time may correct the offset.
 * Among recent readings, the one with the shortest round trip counts most, because its error is at
 * most half of the round trip.
 */
export class DatabaseClock implements StoreClock {
  readonly #clock: Clock;
  #offset = 0;
  #errorMs = Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return Math.floor(this.#clock.monotonic() + this.#offset);
  }

  async learn(read: () => Promise<number>): Promise<void> {
    const asked = this.#clock.monotonic();
    const now = await read();
    const answered = this.#clock.monotonic();
    const errorMs = (answered - asked) / 2;
    // An old reading loses its worth as the clocks drift apart.
    this.#errorMs = this.#errorMs * 1.5 + 0.1;
    if (errorMs > this.#errorMs) return;
    this.#errorMs = errorMs;
    // The database cuts off fractions of a millisecond: half of one is missing on average.
    this.#offset = now + 0.5 - (asked + answered) / 2;
  }
}
