import { TimeoutError } from "../connection-error.ts";

/** The end of one call: its own timeout and the caller's signal, over all tries. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #timeoutMs: number;
  readonly #endsAt: number;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #caller: AbortSignal | undefined;
  readonly #abort = (): void => this.#controller.abort(this.#caller?.reason);
  #isTimeout = false;

  constructor(timeoutMs: number, caller?: AbortSignal) {
    this.#timeoutMs = timeoutMs;
    this.#endsAt = Date.now() + timeoutMs;
    this.#caller = caller;
    // Timers go no further than 24 days, which is as good as no deadline.
    if (timeoutMs < 2 ** 31) this.#timer = setTimeout(() => this.#timeOut(), timeoutMs);
    if (caller?.aborted) this.#abort();
    else caller?.addEventListener("abort", this.#abort);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get remainingMs(): number {
    return this.#endsAt - Date.now();
  }

  /** Ends the call from inside. */
  abort(): void {
    this.#controller.abort();
  }

  /** Throws if the call is over. `lastFailure` tells what it has met so far. */
  check(lastFailure?: unknown): void {
    if (!this.signal.aborted) return;
    throw this.#isTimeout ? new TimeoutError(this.#timeoutMs, lastFailure) : this.signal.reason;
  }

  /** Waits for something that does not know this deadline. */
  race<Result>(work: PromiseLike<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const over = (): void => {
        try {
          this.check();
        } catch (error) {
          reject(error);
        }
      };
      this.signal.addEventListener("abort", over);
      const leave = (): void => this.signal.removeEventListener("abort", over);
      work.then(
        (result) => (leave(), resolve(result)),
        (error: Error) => (leave(), reject(error)),
      );
      over();
    });
  }

  async pause(ms: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      await this.race(new Promise<void>((resolve) => (timer = setTimeout(resolve, ms))));
    } finally {
      clearTimeout(timer);
    }
  }

  /** Leaves no timer and no listener behind. */
  release(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener("abort", this.#abort);
  }

  #timeOut(): void {
    this.#isTimeout = true;
    this.abort();
  }
}
