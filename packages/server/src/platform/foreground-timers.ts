import type { Timers } from "./timers.ts";

const longestTimeoutMs = 2 ** 31 - 1;

/** For a command that waits with nothing else under way: these timers keep the process alive. */
export const foregroundTimers: Timers = {
  after(delayMs, callback) {
    const handle = setTimeout(callback, Math.min(Math.max(0, delayMs), longestTimeoutMs));
    return { cancel: () => clearTimeout(handle) };
  },
};
