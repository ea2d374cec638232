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
 * Writes down how attempts ended, for as long as it takes: until then the claim is held, so an outcome
 * that cannot be written is never a second delivery while this process lives.
 */
export class AttemptRecorder {
  readonly #options: AttemptRecorderOptions;
  readonly #givingUp = new AbortController();

  constructor(options: AttemptRecorderOptions) {
    this.#options = options;
  }

  /** Undefined when it was told to give up before the store took it. */
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

  /** Each attempt that is still unwritten gets one more try. */
  giveUp(): void {
    this.#givingUp.abort();
  }
}
