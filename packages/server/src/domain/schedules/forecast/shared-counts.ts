import type { Instant } from "../../instant.ts";
import type { ForecastSchedule } from "./runs-to-come.ts";

/** A forecast has up to 1,500 numbers. */
const mostKept = 100;

/** What was counted of schedules that are due at the same times, because many have the same expression. */
export class SharedCounts {
  readonly #from: Instant;
  readonly #until: Instant;
  readonly #kept = new Map<string, readonly number[]>();

  constructor(edges: readonly Instant[]) {
    this.#from = edges[0]!;
    this.#until = edges.at(-1)!;
  }

  find(schedule: ForecastSchedule): readonly number[] | undefined {
    return this.#isOrdinary(schedule) ? this.#kept.get(keyOf(schedule)) : undefined;
  }

  keep(schedule: ForecastSchedule, counts: readonly number[]): void {
    if (!this.#isOrdinary(schedule)) return;
    if (this.#kept.size >= mostKept) this.#kept.clear();
    this.#kept.set(keyOf(schedule), counts);
  }

  /** Whether nothing but what is in the key decides when it is due in the span. */
  #isOrdinary(schedule: ForecastSchedule): boolean {
    const { cron, maxRuns, flexWindowMs, skips, startTime, endTime } = schedule;
    return (
      cron !== null &&
      maxRuns === null &&
      flexWindowMs === 0 &&
      skips.length === 0 &&
      (startTime ?? -Infinity) <= this.#from &&
      (endTime ?? Infinity) >= this.#until
    );
  }
}

function keyOf({ cron, timeZone, except, nextRunTime }: ForecastSchedule): string {
  return JSON.stringify([cron, timeZone, except, nextRunTime]);
}
