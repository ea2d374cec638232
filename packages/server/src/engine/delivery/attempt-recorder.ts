import type { AttemptResult, DeliveryStore, Holder, RecordResult } from "../../storage/store.ts";
import type { Timers } from "../../platform/timers.ts";
import { pause } from "../../platform/timers.ts";
import type { DeliveryObserver } from "./delivery-observer.ts";

export interface AttemptRecorderOptions {
  readonly store: Pick<DeliveryStore, "recordAttempts">;
  readonly timers: Timers;
  readonly observer: DeliveryObserver;
}

const firstPauseMs = 100;
const longestPauseMs = 5_000;

/**
 * Records how attempts ended, and retries until the store accepts it. The claim is held until then. So
 * an outcome that cannot be recorded never causes a second delivery while this process lives.
 */
export class AttemptRecorder {
  readonly #options: AttemptRecorderOptions;
  readonly #givingUp = new AbortController();

  constructor(options: AttemptRecorderOptions) {
    this.#options = options;
  }

  /** Undefined when `giveUp` was called before the store accepted the result. */
  async record(holder: Holder, result: AttemptResult): Promise<RecordResult | undefined> {
    const { store, timers, observer } = this.#options;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        const [recorded] = await store.recordAttempts(holder, [result]);
        return recorded;
      } catch (error) {
        observer.trouble(error, `recording an attempt at ${result.messageId}`);
      }
      if (this.#givingUp.signal.aborted) return undefined;
      await pause(timers, pauseMs, this.#givingUp.signal);
    }
  }

  /** Each attempt that is not yet recorded gets one more try. */
  giveUp(): void {
    this.#givingUp.abort();
  }
}
