import type { Clock } from "../../platform/clock.ts";
import type { RunningPart } from "../../platform/running-parts.ts";
import type { Timers } from "../../platform/timers.ts";
import type { Store } from "../../storage/store.ts";
import { RepeatedLook } from "../../platform/repeated-look.ts";

export interface EventMoverOptions {
  readonly store: Pick<Store, "moveEvents" | "sharing">;
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  readonly observer: {
    eventsMoved(count: number): void;
    /** Told after each look: how long the event has waited that waits longest. Null: none ever does. */
    eventsWaited(ms: number | null): void;
    trouble(error: unknown, doing: string): void;
  };
}

const mostAtOnce = 1_000;
/** While events come. */
const busyEveryMs = 50;
/** When none have come for a while. Whoever waits for the first one still has it well within a second. */
const quietEveryMs = 250;
const quietAfterMs = 10_000;

/**
 * Moves committed events into the logs of their accounts. Every node tries, and the store lets one at a time. The embedded store
 * writes its log itself, so there is nothing to do.
 */
export class EventMover implements RunningPart {
  readonly #options: EventMoverOptions;
  readonly #looks: RepeatedLook;
  #movedAt = -Infinity;

  constructor(options: EventMoverOptions) {
    this.#options = options;
    this.#looks = new RepeatedLook({
      timers: options.timers,
      look: () => this.#move(),
      onFailure: (error) => options.observer.trouble(error, "moving events into the log"),
    });
  }

  async start(): Promise<void> {
    const { store, observer } = this.#options;
    if (store.sharing !== null) this.#looks.need(0);
    else observer.eventsWaited(null);
  }

  stop(): Promise<void> {
    return this.#looks.stop();
  }

  async #move(): Promise<number> {
    const { store, clock, observer } = this.#options;
    const { moved, waitedMs } = await store.moveEvents(mostAtOnce);
    const now = clock.monotonic();
    const isAllMoved = moved > 0 && moved < mostAtOnce;
    observer.eventsWaited(isAllMoved ? 0 : (waitedMs ?? 0));
    if (moved > 0) {
      this.#movedAt = now;
      observer.eventsMoved(moved);
    }
    if (moved >= mostAtOnce) return 0;
    return now - this.#movedAt < quietAfterMs ? busyEveryMs : quietEveryMs;
  }
}
