import type { Timer, Timers } from "./timers.ts";
import { pauseAfterFailures } from "./pause-after-failures.ts";

export interface RepeatedLookOptions {
  readonly timers: Timers;
  /** Looks, and answers with how long to rest before the next look. Null: until somebody needs one. */
  readonly look: () => Promise<number | null>;
  /** Called for each look that fails. The next one comes after a pause. */
  readonly onFailure: (error: unknown) => void;
}

/** Looks again and again while there is a reason to, and costs nothing otherwise. */
export class RepeatedLook {
  readonly #options: RepeatedLookOptions;
  #timer: Timer | undefined;
  #underWay: Promise<void> | undefined;
  #isNeeded = false;
  #isHastened = false;
  #isStopped = false;
  #failures = 0;

  constructor(options: RepeatedLookOptions) {
    this.#options = options;
  }

  /** There is a reason to look, after this time unless a look is due anyway. */
  need(restMs: number): void {
    this.#isNeeded = true;
    if (this.#timer === undefined && this.#underWay === undefined) this.#rest(restMs);
  }

  /** There is a reason to look now, or again once the look that is under way has ended. */
  hasten(): void {
    this.#isHastened = true;
    if (this.#underWay === undefined) this.#rest(0);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#underWay;
  }

  #rest(restMs: number): void {
    if (this.#isStopped) return;
    this.#timer?.cancel();
    this.#timer = this.#options.timers.after(restMs, () => {
      this.#timer = undefined;
      this.#isNeeded = false;
      this.#isHastened = false;
      this.#underWay = this.#look().then((nextMs) => {
        this.#underWay = undefined;
        if (this.#isHastened) this.#rest(0);
        else if (nextMs !== null) this.#rest(nextMs);
        else if (this.#isNeeded) this.#rest(0);
      });
    });
  }

  async #look(): Promise<number | null> {
    try {
      const nextMs = await this.#options.look();
      this.#failures = 0;
      return nextMs;
    } catch (error) {
      this.#options.onFailure(error);
      return pauseAfterFailures(++this.#failures);
    }
  }
}
