import { forwardedWithinMs } from "../server/stop-signals.ts";
import type { StopSignal, Surroundings } from "../surroundings/surroundings.ts";

export interface Interrupts {
  /** The listener hears each signal from now on, and at once those that came before. */
  hear(listener: (signal: StopSignal) => void): void;
  release(): void;
}

/** Hears each Ctrl-C once: npm passes the first one on to a command that has had it from the terminal. */
export function awaitInterrupts({
  onStopSignal,
  launcher,
  clock,
}: Pick<Surroundings, "onStopSignal" | "launcher" | "clock">): Interrupts {
  const early: StopSignal[] = [];
  let tell = (signal: StopSignal): void => void early.push(signal);
  let firstAt: number | undefined;
  let mayBeForwarded = launcher !== null;
  const release = onStopSignal((signal) => {
    const now = clock.monotonic();
    if (firstAt !== undefined && mayBeForwarded) {
      mayBeForwarded = false;
      if (now - firstAt < forwardedWithinMs) return;
    }
    firstAt ??= now;
    tell(signal);
  });
  return {
    hear(listener) {
      tell = listener;
      for (const signal of early.splice(0)) listener(signal);
    },
    release,
  };
}
