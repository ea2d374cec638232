import { exitCodes } from "../failures/exit-codes.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

export interface StopRequest {
  /** Resolves at the first signal. */
  readonly requested: Promise<void>;
  release(): void;
}

/** Ctrl-C reaches npm and the server, and npm forwards it. Two signals within this time count as one. */
export const forwardedWithinMs = 2_000;
const launcherLookMs = 500;
const fromNow = `${forwardedWithinMs / 1_000} s from now or later`;

export type StopSurroundings = Pick<
  Surroundings,
  "onStopSignal" | "exitNow" | "launcher" | "clock" | "timers"
>;

/**
 * The first signal requests a stop, the second one forces it. If npm runs the command, the end of npm
 * requests a stop too, because a shell between the two may receive our signal and not pass it on.
 */
export function awaitStopSignal(
  { onStopSignal, exitNow, launcher, clock, timers }: StopSurroundings,
  say: (line: string) => void,
): StopRequest {
  const asked = Promise.withResolvers<void>();
  let askedAt: number | undefined;
  let mayBeForwarded = launcher !== null;
  const ask = (line: string): void => {
    askedAt = clock.monotonic();
    say(line);
    asked.resolve();
  };

  const stopListening = onStopSignal((signal) => {
    if (askedAt === undefined) {
      const when = launcher === null ? "" : `, ${fromNow},`;
      return ask(`${signal}: stopping; a second signal${when} ends it at once`);
    }
    const isForwarded = mayBeForwarded && clock.monotonic() - askedAt < forwardedWithinMs;
    mayBeForwarded = false;
    if (!isForwarded) exitNow(exitCodes.refused);
  });

  let look = launcher === null ? undefined : timers.after(launcherLookMs, lookForLauncher);
  function lookForLauncher(): void {
    if (askedAt !== undefined) return;
    if (launcher?.hasEnded()) ask(`npm has ended: stopping; a signal, ${fromNow}, ends it at once`);
    else look = timers.after(launcherLookMs, lookForLauncher);
  }

  return {
    requested: asked.promise,
    release() {
      look?.cancel();
      // npm may be about to pass the signal on. Without a listener that would kill what has just stopped in good order.
      if (askedAt === undefined || !mayBeForwarded) stopListening();
    },
  };
}
