import { TimeoutError } from "../connection-error.ts";

/** Timers go no further: 24 days. A deadline beyond it is as good as none. */
const longestTimerMs = 2 ** 31 - 1;

/** Waits for work that does not fail, and no longer than this. */
export async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  await Promise.race([work, new Promise((resolve) => (timer = setTimeout(resolve, ms)))]);
  clearTimeout(timer);
}

/**
 * The end of one call: its own timeout and the caller's signal, over all tries. Most calls end before it, so it
 * makes nothing that only an early end needs.
 */
export class Deadline {
  readonly #timeoutMs: number;
  readonly #endsAt: number;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #caller: AbortSignal | undefined;
  #controller: AbortController | undefined;
  #end!: () => void;
  /** How the call ended; undefined while it is under way. */
  #isTimeout: boolean | undefined;
  /** Why the last try failed. */
  failure: unknown;
  /** Resolves if the call ends early. */
  readonly ended = new Promise<void>((resolve) => (this.#end = resolve));

  constructor(timeoutMs: number, caller?: AbortSignal) {
    this.#timeoutMs = timeoutMs;
    this.#endsAt = performance.now() + timeoutMs;
    this.#caller = caller;
    if (timeoutMs <= longestTimerMs) this.#timer = setTimeout(this.abort, timeoutMs, null, true);
    if (caller?.aborted) this.abort();
    else caller?.addEventListener("abort", this.abort);
  }

  /** For a request, which is the only one to need it. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  /** How long a wait may be. */
  get remainingMs(): number {
    return Math.min(this.#endsAt - performance.now(), longestTimerMs);
  }

  /** Ends the call, also from inside. */
  readonly abort = (_?: unknown, isTimeout = false): void => {
    this.#isTimeout ??= isTimeout;
    this.#controller?.abort(this.#caller?.reason);
    this.#end();
  };

  /** Throws if the call is over. */
  check(): void {
    if (this.#isTimeout) throw new TimeoutError(this.#timeoutMs, this.failure);
    if (this.#isTimeout === false) throw this.#caller?.reason;
  }

  /** Waits for something that does not know this deadline. */
  async race<Result>(work: PromiseLike<Result>): Promise<Result> {
    try {
      return (await Promise.race([work, this.ended])) as Result;
    } finally {
      this.check();
    }
  }

  async pause(ms: number): Promise<void> {
    await within(ms, this.ended);
    this.check();
  }

  /** Leaves no timer and no listener behind. */
  release(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener("abort", this.abort);
  }
}
