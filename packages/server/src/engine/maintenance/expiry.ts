import type { Instant } from "../../domain/instant.ts";
import type { Clock } from "../../platform/clock.ts";
import { RepeatedLook } from "../../platform/repeated-look.ts";
import type { RunningPart } from "../../platform/running-parts.ts";
import type { Timers } from "../../platform/timers.ts";

export interface ExpiryOptions {
  /** Removes up to `limit` rows that are over, and tells when the next one will be. */
  readonly remove: (
    limit: number,
  ) => Promise<{ readonly removed: number; readonly nextExpiry: Instant | null }>;
  readonly doing: string;
  /** The clock of the store. */
  readonly clock: Pick<Clock, "now">;
  readonly timers: Timers;
  readonly observer: { trouble(error: unknown, doing: string): void };
}

const batchSize = 500;
/** What is over becomes invisible at once. Its rows may be deleted a little later, many together. */
const shortestSleepMs = 1_000;
const longestSleepMs = 60_000;

/** Deletes what is over in small batches, so that no other call waits long. */
export class Expiry implements RunningPart {
  readonly #options: ExpiryOptions;
  readonly #looks: RepeatedLook;

  constructor(options: ExpiryOptions) {
    this.#options = options;
    const { timers, observer, doing } = options;
    this.#looks = new RepeatedLook({
      timers,
      look: () => this.#sweep(),
      onFailure: (error) => observer.trouble(error, doing),
    });
  }

  async start(): Promise<void> {
    this.#looks.need(0);
  }

  stop(): Promise<void> {
    return this.#looks.stop();
  }

  async #sweep(): Promise<number> {
    const { remove, clock } = this.#options;
    const { removed, nextExpiry } = await remove(batchSize);
    if (removed >= batchSize) return 0;
    const untilNextMs = (nextExpiry ?? Infinity) - clock.now();
    return Math.max(shortestSleepMs, Math.min(untilNextMs, longestSleepMs));
  }
}
