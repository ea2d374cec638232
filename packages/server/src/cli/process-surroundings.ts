import { systemClock } from "../platform/clock.ts";
import { systemRandom } from "../platform/random.ts";
import { foregroundTimers } from "../platform/timers.ts";
import type { StopSignal, Surroundings } from "./surroundings.ts";

const stopSignals: readonly StopSignal[] = ["SIGINT", "SIGTERM"];

/** The real ones, but for what only the composition of the server knows. */
export function processSurroundings(): Omit<
  Surroundings,
  "version" | "startServer" | "migrateData" | "openSchema"
> {
  // A reader that has seen enough (`postdate list … | head`) is no error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    fetch: globalThis.fetch,
    clock: systemClock,
    timers: foregroundTimers,
    random: systemRandom,
    onStopSignal(listener) {
      for (const signal of stopSignals) process.on(signal, listener);
      return () => {
        for (const signal of stopSignals) process.off(signal, listener);
      };
    },
    exitNow: (code) => process.exit(code),
  };
}
