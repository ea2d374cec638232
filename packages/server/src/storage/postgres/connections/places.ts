import { PlacesInTurn } from "../../../platform/places-in-turn.ts";
import type { PlacesInTurnOptions } from "../../../platform/places-in-turn.ts";
import type { Timer, Timers } from "../../../platform/timers.ts";
import { StoreUnavailable } from "../../store.ts";

export interface PlacesOptions extends PlacesInTurnOptions {
  readonly timers: Timers;
}

/** Places for calls. A call waits for one only for a limited time. */
export class Places {
  readonly #inTurn: PlacesInTurn;
  readonly #timers: Timers;

  constructor({ timers, ...options }: PlacesOptions) {
    this.#inTurn = new PlacesInTurn(options);
    this.#timers = timers;
  }

  get waiting(): number {
    return this.#inTurn.waiting;
  }

  /** Resolves with the function that gives the place back; rejects after `waitMs`. */
  take(name: string, waitMs: number): Promise<() => void> {
    return new Promise((resolve, reject) => {
      let timer: Timer | undefined;
      let hasEntered = false;
      const leaveLine = this.#inTurn.enter(name, (giveBack) => {
        hasEntered = true;
        timer?.cancel();
        resolve(giveBack);
      });
      if (hasEntered || waitMs === Infinity) return;
      timer = this.#timers.after(waitMs, () => {
        leaveLine();
        reject(new StoreUnavailable("No connection to PostgreSQL was free in time"));
      });
    });
  }
}
