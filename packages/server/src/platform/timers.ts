export interface Timer {
  cancel(): void;
}

export interface Timers {
  /** Calls back once, after at least `delayMs`, also for very long delays. */
  after(delayMs: number, callback: () => void): Timer;
}

/** `setTimeout` fires at once for a longer delay, so longer waits consist of several. */
const longestTimeoutMs = 2 ** 31 - 1;

function createTimers({ keepAlive }: { readonly keepAlive: boolean }): Timers {
  return {
    after(delayMs, callback) {
      let handle: NodeJS.Timeout;
      const arm = (remainingMs: number): void => {
        const stepMs = Math.min(remainingMs, longestTimeoutMs);
        handle = setTimeout(() => {
          if (remainingMs > stepMs) arm(remainingMs - stepMs);
          else callback();
        }, stepMs);
        if (!keepAlive) handle.unref();
      };
      arm(Math.max(0, delayMs));
      return { cancel: () => clearTimeout(handle) };
    },
  };
}

/** For the server. Its socket keeps the process alive; these timers do not. */
export const systemTimers = createTimers({ keepAlive: false });

/** For a command that only waits. These timers keep the process alive. */
export const foregroundTimers = createTimers({ keepAlive: true });

/** Waits, or resolves early when the signal aborts. */
export function pause(timers: Timers, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const timer = timers.after(delayMs, () => {
      signal?.removeEventListener("abort", stop);
      resolve();
    });
    const stop = (): void => {
      timer.cancel();
      resolve();
    };
    signal?.addEventListener("abort", stop, { once: true });
  });
}
