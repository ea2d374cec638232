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
  const onReaderGone = watchReaders();
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
    onReaderGone,
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

/** Of a pipe, and of a terminal that was closed. */
const readerGone: ReadonlySet<string | undefined> = new Set(["EPIPE", "EIO"]);

/** A reader that stops early (`postdate list … | head`) is not an error. */
function watchReaders(): Surroundings["onReaderGone"] {
  const listeners = new Set<() => void>();
  for (const output of [process.stdout, process.stderr]) {
    output.on("error", (error: NodeJS.ErrnoException) => {
      if (!readerGone.has(error.code)) throw error;
      if (listeners.size === 0) process.exit(0);
      for (const listener of listeners) listener();
    });
  }
  return (listener) => {
    listeners.add(listener);
    // Without a terminal the signal may be one that `nohup` has the process ignore.
    const hasTerminal = process.stdin.isTTY || process.stdout.isTTY;
    if (hasTerminal) process.on("SIGHUP", listener);
    return () => {
      listeners.delete(listener);
      process.off("SIGHUP", listener);
    };
  };
}
