import type { Clock } from "../../platform/clock.ts";
import type { RunningPart } from "../../platform/running-parts.ts";
import type { Timers } from "../../platform/timers.ts";
import type { EventStore } from "../../storage/store.ts";
import { RepeatedLook } from "../../platform/repeated-look.ts";

export interface EventExpiryOptions {
  readonly store: Pick<EventStore, "removeOldEvents">;
  /** The clock of the store. */
  readonly clock: Pick<Clock, "now">;
  readonly timers: Timers;
  readonly observer: {
    eventsRemoved(count: number): void;
    trouble(error: unknown, doing: string): void;
  };
}

const batchSize = 500;
const shortestSleepMs = 1_000;
const longestSleepMs = 60_000;

/** Removes events that are older than the retention, in small batches, so that no other call waits long. */
export class EventExpiry implements RunningPart {
  readonly #options: EventExpiryOptions;
  readonly #looks: RepeatedLook;

  constructor(options: EventExpiryOptions) {
    this.#options = options;
    this.#looks = new RepeatedLook({
      timers: options.timers,
      look: () => this.#sweep(),
      onFailure: (error) => options.observer.trouble(error, "removing old events"),
    });
  }

  async start(): Promise<void> {
    this.#looks.need(0);
  }

  stop(): Promise<void> {
    return this.#looks.stop();
  }

  async #sweep(): Promise<number> {
    const { store, clock, observer } = this.#options;
    const { removed, nextExpiry } = await store.removeOldEvents(batchSize);
    if (removed > 0) observer.eventsRemoved(removed);
    if (removed >= batchSize) return 0;
    const untilNextMs = (nextExpiry ?? Infinity) - clock.now();
    return Math.max(shortestSleepMs, Math.min(untilNextMs, longestSleepMs));
  }
}
