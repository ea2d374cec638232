import type { Timers } from "../../platform/timers.ts";

interface Wait extends Disposable {
  /** Aborts when the time is over, or with one of the signals. */
  readonly signal: AbortSignal;
}

/** Removes its listeners at the end, because the signals outlive the wait. */
export function waitFor(timers: Timers, waitMs: number, ...signals: readonly AbortSignal[]): Wait {
  const over = new AbortController();
  const abort = (): void => over.abort();
  const timer = timers.after(waitMs, abort);
  for (const signal of signals) {
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
  }
  return {
    signal: over.signal,
    [Symbol.dispose]() {
      timer.cancel();
      for (const signal of signals) signal.removeEventListener("abort", abort);
    },
  };
}
