import type { Clock } from "../../../platform/clock.ts";
import type { StoreClock } from "../../store.ts";

/** What the database's clock is ahead of this process's monotonic time, and how far that may be wrong. */
interface Reading {
  readonly offset: number;
  readonly errorMs: number;
}

/**
 * The database's clock as this process knows it: monotonic time plus an offset, so that this
 * machine's wall clock does not matter. Each reading of the database's time may correct the offset.
 * Among recent readings, the one with the shortest round trip counts most, because its error is at
 * most half of the round trip. A reading that no such error explains means that the clock was set.
 */
export class DatabaseClock implements StoreClock {
  readonly #clock: Pick<Clock, "monotonic">;
  #known: Reading = { offset: 0, errorMs: Infinity };

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  now(): number {
    return Math.floor(this.#clock.monotonic() + this.#known.offset);
  }

  async learn(read: () => Promise<number>): Promise<void> {
    const { reading } = await this.#time(read, (now) => now);
    // An old reading loses its worth as the clocks drift apart.
    const errorMs = this.#known.errorMs * 1.5 + 0.1;
    this.#known = { ...this.#known, errorMs };
    if (reading.errorMs <= errorMs || this.#wasSet(reading)) this.#known = reading;
  }

  /** Asks for something else, and sees from the answer whether the clock was set since. */
  async noticing<Answer>(
    ask: () => Promise<Answer>,
    nowOf: (answer: Answer) => number,
  ): Promise<Answer> {
    const { answer, reading } = await this.#time(ask, nowOf);
    if (this.#wasSet(reading)) this.#known = reading;
    return answer;
  }

  async #time<Answer>(ask: () => Promise<Answer>, nowOf: (answer: Answer) => number) {
    const asked = this.#clock.monotonic();
    const answer = await ask();
    const answered = this.#clock.monotonic();
    // The database cuts off fractions of a millisecond: half of one is missing on average.
    const offset = nowOf(answer) + 0.5 - (asked + answered) / 2;
    const reading: Reading = { offset, errorMs: (answered - asked) / 2 };
    return { answer, reading };
  }

  #wasSet({ offset, errorMs }: Reading): boolean {
    return Math.abs(offset - this.#known.offset) > errorMs + this.#known.errorMs + driftMs;
  }
}

/** More than clocks drift apart between two readings. */
const driftMs = 20;
