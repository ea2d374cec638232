import type { Clock } from "../../platform/clock.ts";
import type { StoreClock } from "../store.ts";

/**
 * The database's clock as seen from here: monotonic time plus an offset, so that this machine's wall
 * clock does not matter. Each reading of the database's time corrects it; of late the one with the
 * shortest way there and back counts most, since its error is at most half of that.
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

  /** Asks for the database's time and learns from the answer. */
  async learn(read: () => Promise<number>): Promise<void> {
    const asked = this.#clock.monotonic();
    const now = await read();
    const answered = this.#clock.monotonic();
    const errorMs = (answered - asked) / 2;
    // An old reading loses its worth as clocks drift apart.
    this.#errorMs = this.#errorMs * 1.5 + 0.1;
    if (errorMs > this.#errorMs) return;
    this.#errorMs = errorMs;
    // The database cuts its time off to whole milliseconds: on average half of one is missing.
    this.#offset = now + 0.5 - (asked + answered) / 2;
  }
}
