import type { Clock } from "../../platform/clock.ts";
import { PlacesInTurn } from "../../platform/places-in-turn.ts";
import type { Timers } from "../../platform/timers.ts";

export interface LargeBodiesOptions {
  readonly clock: Clock;
  readonly timers: Timers;
}

/**
 * Work on a large body stops everything else while it lasts. It is done one at a time, accounts in turn,
 * and after each the others have the event loop for as long as it took.
 */
export class LargeBodies {
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #inTurn = new PlacesInTurn({ places: 1 });

  constructor({ clock, timers }: LargeBodiesOptions) {
    this.#clock = clock;
    this.#timers = timers;
  }

  /** Does the work when its turn has come, at once where nobody waits. */
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
