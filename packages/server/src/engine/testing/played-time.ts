import type { Timers } from "../../platform/timers.ts";

export interface PlayedTime extends Timers {
  now(): number;
  /** Lets time pass. What is planned until then happens, in its order. */
  pass(ms: number): Promise<void>;
  pause(ms: number): Promise<void>;
  /** How many timers wait. */
  waiting(): number;
}

/** A time that begins at 0 and that a test lets pass. */
export function playedTime(): PlayedTime {
  let now = 0;
  let timers: { readonly at: number; readonly callback: () => void }[] = [];
  const after: Timers["after"] = (delayMs, callback) => {
    const timer = { at: now + Math.max(0, delayMs), callback };
    timers.push(timer);
    return { cancel: () => void (timers = timers.filter((other) => other !== timer)) };
  };
  return {
    now: () => now,
    after,
    pause: (ms) => new Promise((resolve) => void after(ms, resolve)),
    waiting: () => timers.length,
    async pass(ms) {
      const until = now + ms;
      for (;;) {
        await new Promise((resolve) => setImmediate(resolve));
        const next = timers.toSorted((one, other) => one.at - other.at)[0];
        if (next === undefined || next.at > until) break;
        timers = timers.filter((timer) => timer !== next);
        now = next.at;
        next.callback();
      }
      now = until;
    },
  };
}
