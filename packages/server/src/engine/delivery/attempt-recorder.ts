import type { AttemptResult, DeliveryStore, Holder, RecordResult } from "../../storage/store.ts";
import type { Timers } from "../../platform/timers.ts";
import { pause } from "../../platform/timers.ts";
import type { DeliveryObserver } from "./delivery-observer.ts";

export interface AttemptRecorderOptions {
  readonly store: Pick<DeliveryStore, "recordAttempts" | "releaseClaims">;
  readonly timers: Timers;
  readonly observer: DeliveryObserver;
}

const firstPauseMs = 100;
const longestPauseMs = 5_000;

/**
 * Tells the store how claims ended, and retries until the store accepts it. The claim is held until then. So
 * an outcome that cannot be recorded never causes a second delivery while this process lives, and no claim
 * stays behind that nobody will end.
 */
export class AttemptRecorder {
  readonly #options: AttemptRecorderOptions;
  readonly #givingUp = new AbortController();

  constructor(options: AttemptRecorderOptions) {
    this.#options = options;
  }

  /** Undefined when `giveUp` was called before the store accepted the result. */
  record(holder: Holder, result: AttemptResult): Promise<RecordResult | undefined> {
    const { store } = this.#options;
    return this.#insist(`recording an attempt at ${result.messageId}`, async () => {
      const [recorded] = await store.recordAttempts(holder, [result]);
      return recorded;
    });
  }

  /** Gives up a claim without an attempt. */
  release(holder: Holder, messageId: string): Promise<void> {
    const { store } = this.#options;
    return this.#insist(`releasing ${messageId}`, () => store.releaseClaims(holder, [messageId]));
  }

  async #insist<Value>(doing: string, work: () => Promise<Value>): Promise<Value | undefined> {
    const { timers, observer } = this.#options;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        return await work();
      } catch (error) {
        observer.trouble(error, doing);
      }
      if (this.#givingUp.signal.aborted) return undefined;
      await pause(timers, pauseMs, this.#givingUp.signal);
    }
  }

  /** What the store has not accepted yet gets one more try. */
  giveUp(): void {
    this.#givingUp.abort();
  }
}
