import { systemClock } from "../../platform/clock.ts";
import { systemRandom } from "../../platform/random.ts";
import { foregroundTimers } from "../../platform/timers.ts";
import { runCommandLine } from "../run-command-line.ts";
import type { Output, StopSignal, Surroundings } from "../surroundings/surroundings.ts";

/** A stream that records its text, and can wait until a text appears. */
class Screen implements Output {
  readonly isTTY: boolean;
  readonly columns: number | undefined;
  readonly chunks: Buffer[] = [];
  #onWrite: () => void = () => {};

  constructor(columns?: number) {
    this.isTTY = columns !== undefined;
    this.columns = columns;
  }

  write(chunk: string | Uint8Array): void {
    this.chunks.push(Buffer.from(chunk as Uint8Array));
    this.#onWrite();
  }

  get bytes(): Buffer {
    return Buffer.concat(this.chunks);
  }

  get text(): string {
    return this.bytes.toString();
  }

  /** Resolves with all text once it matches. */
  shows(pattern: RegExp): Promise<string> {
    return new Promise((resolve) => {
      this.#onWrite = () => {
        if (pattern.test(this.text)) resolve(this.text);
      };
      this.#onWrite();
    });
  }
}

export interface Terminal {
  readonly stdout: Screen;
  readonly stderr: Screen;
  readonly exits: number[];
  readonly surroundings: Surroundings;
  signal(signal: StopSignal): void;
  /** What the command prints goes nowhere any more: nobody reads it, or, with an error, it cannot be written. */
  closeOutput(trouble?: Error): void;
  run(...argv: readonly string[]): Promise<number>;
}

/**
 * A separate terminal for each test, with real clocks and a real network. Without `columns` its output
 * is a pipe.
 */
export function openTerminal(changes: Partial<Surroundings> = {}, columns?: number): Terminal {
  const stdout = new Screen(columns);
  const stderr = new Screen(columns);
  const exits: number[] = [];
  const listeners = new Set<(signal: StopSignal) => void>();
  const outputs = new Set<(trouble?: Error) => void>();
  const surroundings: Surroundings = {
    version: "1.2.3",
    startServer: () => Promise.reject(new Error("this test starts no server")),
    migrateData: () => Promise.reject(new Error("this test migrates nothing")),
    openSchema: () => Promise.reject(new Error("this test opens no schema")),
    openBackups: () => Promise.reject(new Error("this test makes no backup")),
    stdin: standardInput(""),
    stdout,
    stderr,
    env: {},
    homeFolder: "/nowhere",
    timeZone: "UTC",
    processId: 4321,
    launcher: null,
    fetch: globalThis.fetch,
    clock: systemClock,
    timers: foregroundTimers,
    random: systemRandom,
    onStopSignal(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    onOutputGone(listener) {
      outputs.add(listener);
      return () => void outputs.delete(listener);
    },
    onProcessTrouble: () => () => {},
    exitNow: (code) => void exits.push(code),
    ...changes,
  };
  return {
    stdout,
    stderr,
    exits,
    surroundings,
    signal: (signal) => listeners.forEach((listener) => listener(signal)),
    closeOutput: (trouble) => outputs.forEach((listener) => listener(trouble)),
    run: (...argv) => runCommandLine(argv, surroundings),
  };
}

export function standardInput(content: string | Uint8Array): AsyncIterable<Uint8Array> {
  return (async function* () {
    yield Buffer.from(content as Uint8Array);
  })();
}
