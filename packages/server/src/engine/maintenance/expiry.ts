import type { Clock } from "../../platform/clock.ts";
import type { RunningPart } from "../../platform/running-parts.ts";
import type { Timer, Timers } from "../../platform/timers.ts";
import type { DeliveryStore } from "../../storage/store.ts";

export interface ExpiryOptions {
  readonly store: Pick<DeliveryStore, "removeExpired">;
  /** The clock of the store. */
  readonly clock: Pick<Clock, "now">;
  readonly timers: Timers;
  readonly observer: { trouble(error: unknown, doing: string): void };
}

const batchSize = 500;
/** Expired messages become invisible at once. Their rows may be deleted a little later, many together. */
const shortestSleepMs = 1_000;
const longestSleepMs = 60_000;

/** Deletes expired messages in small batches, so that no other call waits long. */
export class Expiry implements RunningPart {
  readonly #options: ExpiryOptions;
  #timer: Timer | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: ExpiryOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#sleep(0);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#running;
  }

  #sleep(sleepMs: number): void {
    if (this.#stopped) return;
    this.#timer = this.#options.timers.after(sleepMs, () => {
      this.#running = this.#sweep();
    });
  }

  async #sweep(): Promise<void> {
    const { store, clock, observer } = this.#options;
    try {
      const { removed, nextExpiry } = await store.removeExpired(batchSize);
      if (removed >= batchSize) return this.#sleep(0);
      const untilNextMs = (nextExpiry ?? Infinity) - clock.now();
      this.#sleep(Math.max(shortestSleepMs, Math.min(untilNextMs, longestSleepMs)));
    } catch (error) {
      observer.trouble(error, "removing expired messages");
      this.#sleep(longestSleepMs);
    }
  }
}
