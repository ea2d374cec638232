import type { Timer, Timers } from "../../platform/timers.ts";
import { pauseAfterFailures } from "../jobs/pause-after-failures.ts";

export interface RepeatedLookOptions {
  readonly timers: Timers;
  /** Looks, and answers with how long to rest before the next look. Null: until somebody needs one. */
  readonly look: () => Promise<number | null>;
  readonly onFailure: (error: unknown) => void;
}

/** Looks again and again while there is a reason to, and costs nothing otherwise. */
export class RepeatedLook {
  readonly #options: RepeatedLookOptions;
  #timer: Timer | undefined;
  #underWay: Promise<void> | undefined;
  #isNeeded = false;
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

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#underWay;
  }

  #rest(restMs: number): void {
    if (this.#isStopped) return;
    this.#timer = this.#options.timers.after(restMs, () => {
      this.#timer = undefined;
      this.#isNeeded = false;
      this.#underWay = this.#look().then((nextMs) => {
        this.#underWay = undefined;
        if (nextMs !== null) this.#rest(nextMs);
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
      if (this.#failures === 0) this.#options.onFailure(error);
      return pauseAfterFailures(++this.#failures);
    }
  }
}
