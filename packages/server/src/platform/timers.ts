export interface Timer {
  cancel(): void;
}

export interface Timers {
  /** Calls back once, after at least `delayMs`, however long that is. */
  after(delayMs: number, callback: () => void): Timer;
}

/** `setTimeout` fires at once beyond this: longer waits are made of several. */
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

/** For the server: its socket keeps the process alive, timers never do. */
export const systemTimers = createTimers({ keepAlive: false });

/** For a command that waits with nothing else under way: these timers keep the process alive. */
export const foregroundTimers = createTimers({ keepAlive: true });

/** Waits; resolves early when the signal aborts. */
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
