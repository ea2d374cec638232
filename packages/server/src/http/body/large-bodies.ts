import type { Clock } from "../../platform/clock.ts";
import { FairLines } from "../../platform/fair-lines.ts";
import type { Timers } from "../../platform/timers.ts";

export interface LargeBodiesOptions {
  readonly clock: Clock;
  readonly timers: Timers;
}

/**
 * What is done with large bodies stops everything else while it lasts. It is done one at a time, accounts
 * in turn, and after each the others have the event loop for as long as it took.
 */
export class LargeBodies {
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #waiting = new FairLines<() => void>(1);
  #isTheOthersTurn = false;

  constructor({ clock, timers }: LargeBodiesOptions) {
    this.#clock = clock;
    this.#timers = timers;
  }

  /** Does the work when its turn has come, at once where nobody waits. */
  inTurn(account: string, work: () => void): void {
    this.#waiting.add(account, work, 1);
    this.#goOn();
  }

  #goOn(): void {
    if (this.#isTheOthersTurn) return;
    const [work] = this.#waiting.take(1);
    if (work === undefined) return;
    this.#isTheOthersTurn = true;
    const begin = this.#clock.monotonic();
    try {
      work();
    } finally {
      this.#timers.after(this.#clock.monotonic() - begin, () => {
        this.#isTheOthersTurn = false;
        this.#goOn();
      });
    }
  }
}
