import type { Clock } from "../../platform/clock.ts";
import type { Random } from "../../platform/random.ts";
import type { Timers } from "../../platform/timers.ts";
import type { BackupKeeper } from "./backup-keeper.ts";
import type { DataMigrator } from "./data-migration.ts";
import type { Launcher } from "./launcher.ts";
import type { ServerStarter } from "./running-server.ts";
import type { SchemaKeeper } from "./schema-keeper.ts";

export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number | undefined;
  write(chunk: string | Uint8Array): unknown;
}

export interface Input extends AsyncIterable<Uint8Array | string> {
  readonly isTTY?: boolean;
  /** Only on a terminal: keys arrive one by one, and the terminal does not show them. */
  setRawMode?(isRaw: boolean): unknown;
  /** Only on a terminal: forgets what was typed and not read yet, and says what it was. */
  discardTyped?(): Promise<string>;
  /** Ends the input, also for who waits for more. */
  destroy?(): unknown;
}

export type StopSignal = "SIGINT" | "SIGTERM";

/** Everything outside a command that it uses, so that a test can replace the terminal and the network. */
export interface Surroundings {
  readonly version: string;
  readonly startServer: ServerStarter;
  readonly migrateData: DataMigrator;
  readonly openSchema: () => Promise<SchemaKeeper>;
  readonly openBackups: () => Promise<BackupKeeper>;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeFolder: string;
  /** The IANA name of the time zone of this machine. */
  readonly timeZone: string;
  readonly processId: number;
  /** Null unless npm runs the command. */
  readonly launcher: Launcher | null;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  /** Must keep the process alive while they run. */
  readonly timers: Timers;
  readonly random: Random;
  /** Calls the listener for each signal that asks to stop. The returned function removes the listener. */
  readonly onStopSignal: (listener: (signal: StopSignal) => void) => () => void;
  /**
   * Calls the listener when what the command prints goes nowhere any more: the program behind its pipe has ended, its
   * terminal was closed, or, with the error, the disk of its file is full. Without a listener that ends the process at once.
   * The returned function removes the listener.
   */
  readonly onOutputGone: (listener: (trouble?: Error) => void) => () => void;
  /**
   * Reports what Node.js would otherwise print in its own format: warnings, and uncaught errors, after
   * which the process ends. The returned function restores the behaviour of Node.js.
   */
  readonly onProcessTrouble: (
    listener: (level: "warn" | "fatal", error: unknown) => void,
  ) => () => void;
  /** Ends the process without waiting for anything. */
  readonly exitNow: (code: number) => void;
}
