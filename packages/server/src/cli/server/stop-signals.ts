import { exitCodes } from "../failures/exit-codes.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

export interface StopRequest {
  /** Resolves at the first signal. */
  readonly requested: Promise<void>;
  release(): void;
}

/** Ctrl-C reaches npm and the server, and npm sends it on: what comes twice this soon is one wish. */
const forwardedWithinMs = 2_000;
const launcherLookMs = 500;
const fromNow = `${forwardedWithinMs / 1_000} s from now or later`;

export type StopSurroundings = Pick<
  Surroundings,
  "onStopSignal" | "exitNow" | "launcher" | "clock" | "timers"
>;

/**
 * The first signal asks, the second one forces. Where npm runs the command, npm's end asks too: a
 * shell between the two takes the signal that was meant for us with it.
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
      stopListening();
      look?.cancel();
    },
  };
}
