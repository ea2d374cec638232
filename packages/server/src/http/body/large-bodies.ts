import type { Clock } from "../../platform/clock.ts";
import { PlacesInTurn } from "../../platform/places-in-turn.ts";
import type { Timers } from "../../platform/timers.ts";

export interface LargeBodiesOptions {
  readonly clock: Clock;
  readonly timers: Timers;
}

/** From this size on, a body is large. */
export const largeBodyBytes = 1_048_576;

/** The same for a body with many values, each of which is checked: a batch of some forty short messages. */
export const largeListBytes = 4_096;

/** Work that takes no longer needs no pause after it. */
const briefMs = 20;

/**
 * Work on a large body blocks the event loop. So large bodies are handled one at a time, and accounts take
 * turns. After each, whatever else has arrived goes first, and after a very large one, other work has the event
 * loop for as long as the body took.
 */
export class LargeBodies {
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #inTurn = new PlacesInTurn({ places: 1 });

  constructor({ clock, timers }: LargeBodiesOptions) {
    this.#clock = clock;
    this.#timers = timers;
  }

  /** Does the work when its turn comes, or at once if nothing else waits. */
  inTurn(account: string, work: () => void): void {
    this.#inTurn.enter(account, (giveBack) => {
      const begin = this.#clock.monotonic();
      try {
        work();
      } finally {
        const tookMs = this.#clock.monotonic() - begin;
        this.#timers.after(tookMs <= briefMs ? 0 : tookMs, giveBack);
      }
    });
  }
}
