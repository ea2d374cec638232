import { homedir } from "node:os";
import { systemClock } from "../../platform/clock.ts";
import { systemRandom } from "../../platform/random.ts";
import { foregroundTimers } from "../../platform/timers.ts";
import { findLauncher, systemProcesses } from "./launcher.ts";
import { terminalInput } from "./terminal-input.ts";
import type { StopSignal, Surroundings } from "./surroundings.ts";

const stopSignals: readonly StopSignal[] = ["SIGINT", "SIGTERM"];

/** The real surroundings, except those that only the composition root knows. */
export function processSurroundings(): Omit<
  Surroundings,
  "version" | "startServer" | "migrateData" | "openSchema" | "openBackups"
> {
  // A reader that stops early (`postdate list … | head`) is not an error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });
  return {
    stdin: terminalInput(process.stdin, foregroundTimers),
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    homeFolder: homedir(),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    processId: process.pid,
    launcher: findLauncher(process.env, systemProcesses),
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
    onProcessTrouble(listener) {
      const printers = process.rawListeners("warning") as NodeJS.WarningListener[];
      const warn = (warning: Error): void => listener("warn", warning);
      const fail = (error: unknown): void => {
        listener("fatal", error);
        process.exit(1);
      };
      process.removeAllListeners("warning").on("warning", warn).on("uncaughtException", fail);
      return () => {
        process.off("warning", warn).off("uncaughtException", fail);
        for (const printer of printers) process.on("warning", printer);
      };
    },
    exitNow: (code) => process.exit(code),
  };
}
