import { homedir } from "node:os";
import { systemClock } from "../../platform/clock.ts";
import { systemRandom } from "../../platform/random.ts";
import { foregroundTimers } from "../../platform/timers.ts";
import { outputTrouble } from "../failures/output-trouble.ts";
import { findLauncher, systemProcesses } from "./launcher.ts";
import { terminalInput } from "./terminal-input.ts";
import type { StopSignal, Surroundings } from "./surroundings.ts";

const stopSignals: readonly StopSignal[] = ["SIGINT", "SIGTERM"];

/** The real surroundings, except those that only the composition root knows. */
export function processSurroundings(): Omit<
  Surroundings,
  "version" | "startServer" | "migrateData" | "openSchema" | "openBackups"
> {
  const onOutputGone = watchOutputs();
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
    onOutputGone,
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

function watchOutputs(): Surroundings["onOutputGone"] {
  const listeners = new Set<(trouble?: Error) => void>();
  const tell = (trouble?: Error): void => {
    for (const listener of listeners) listener(trouble);
  };
  for (const output of [process.stdout, process.stderr]) {
    output.on("error", (error: NodeJS.ErrnoException) => {
      // A reader that stops early (`postdate list … | head`) is not an error.
      const isReaderGone = readerGone.has(error.code);
      if (listeners.size > 0) return tell(isReaderGone ? undefined : error);
      if (isReaderGone) process.exit(0);
      // A server reports its troubles itself.
      if (process.listenerCount("uncaughtException") > 0) throw error;
      process.stderr.write(`${outputTrouble(error)}\n`);
      process.exit(1);
    });
  }
  // Node.js also takes the signal where `nohup` has the process ignore it: it would end the process at once.
  const hangUp = (): void => tell();
  return (listener) => {
    if (listeners.size === 0) process.on("SIGHUP", hangUp);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) process.off("SIGHUP", hangUp);
    };
  };
}
