import type { Instant } from "../../src/domain/message.ts";
import type { ClockStep } from "./history.ts";

/** A time in which nobody set the store's clock. */
interface Stretch {
  readonly from: Instant;
  /** The instant of the next step, which belongs to the next stretch. Infinity if there is none. */
  readonly until: Instant;
  readonly offMs: number;
}

/** The time that the store's clock showed at each instant of the observers' clock. */
export class StoreClock {
  readonly steps: readonly ClockStep[];
  readonly #stretches: readonly Stretch[];

  constructor(steps: readonly ClockStep[] = []) {
    this.steps = steps;
    let offMs = 0;
    let from = -Infinity;
    const stretches: Stretch[] = [];
    for (const { at, byMs } of steps) {
      stretches.push({ from, until: at, offMs });
      from = at;
      offMs += byMs;
    }
    this.#stretches = [...stretches, { from, until: Infinity, offMs }];
  }

  /** The furthest that the clock was ever off. */
  get furthestMs(): number {
    return Math.max(...this.#stretches.map(({ offMs }) => Math.abs(offMs)));
  }

  /** The furthest that two readings may be off against each other. */
  get widestMs(): number {
    const offsets = this.#stretches.map(({ offMs }) => offMs);
    return Math.max(...offsets) - Math.min(...offsets);
  }

  /** The latest time that the clock showed in this period. */
  latest(from: Instant, until: Instant): Instant {
    const shown = this.#stretches
      .filter((stretch) => stretch.from <= until && stretch.until >= from)
      .map((stretch) => Math.min(stretch.until, until) + stretch.offMs);
    return Math.max(...shown);
  }

  /** The parts of this period in which the clock showed the instant or a later one. */
  showing(instant: Instant, from: Instant, until: Instant): { from: Instant; until: Instant }[] {
    return this.#stretches.flatMap((stretch) => {
      const begin = Math.max(from, stretch.from, instant - stretch.offMs);
      const end = Math.min(until, stretch.until);
      return begin < end ? [{ from: begin, until: end }] : [];
    });
  }
}
