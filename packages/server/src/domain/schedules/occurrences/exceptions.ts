import { dayMs } from "../../calendar.ts";
import type { WallTime } from "../../time-zones/wall-time.ts";

/** What a schedule leaves out: whole days, and single times, as clocks and calendars show them. */
export class Exceptions {
  /** Days since 1970-01-01. */
  readonly #days: ReadonlySet<number>;
  readonly #times: ReadonlySet<WallTime>;

  constructor(days: readonly number[] = [], times: readonly WallTime[] = []) {
    this.#days = new Set(days);
    this.#times = new Set(times);
  }

  hasDay(daysSince1970: number): boolean {
    return this.#days.has(daysSince1970);
  }

  has(wallTime: WallTime): boolean {
    return this.#times.has(wallTime) || this.hasDay(Math.floor(wallTime / dayMs));
  }
}
