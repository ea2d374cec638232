import { exitCodes } from "./exit-codes.ts";
import type { Surroundings } from "./surroundings.ts";

export interface StopRequest {
  /** Resolves at the first signal. */
  readonly requested: Promise<void>;
  release(): void;
}

/** The first signal asks, the second one forces. */
export function awaitStopSignal({ onStopSignal, exitNow, stderr }: Surroundings): StopRequest {
  let isRequested = false;
  let release = (): void => {};
  const requested = new Promise<void>((resolve) => {
    release = onStopSignal((signal) => {
      if (isRequested) return exitNow(exitCodes.refused);
      isRequested = true;
      stderr.write(`${signal}: stopping; a second signal ends it at once\n`);
      resolve();
    });
  });
  return { requested, release };
}
