import type { Clock } from "../../platform/clock.ts";
import { PlacesInTurn } from "../../platform/places-in-turn.ts";
import type { Timers } from "../../platform/timers.ts";

export interface LargeBodiesOptions {
  readonly clock: Clock;
  readonly timers: Timers;
}

/**
 * Work on a large body blocks the event loop. So large bodies are handled one at a time, and accounts take
 * turns. After each, other work has the event loop for as long as the body took.
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
        this.#timers.after(this.#clock.monotonic() - begin, giveBack);
      }
    });
  }
}
