import type { Clock } from "../../platform/clock.ts";
import type { Random } from "../../platform/random.ts";
import type { Timers } from "../../platform/timers.ts";
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
}

export type StopSignal = "SIGINT" | "SIGTERM";

/** Everything a command touches outside itself, so that a test can be its terminal and its network. */
export interface Surroundings {
  readonly version: string;
  readonly startServer: ServerStarter;
  readonly migrateData: DataMigrator;
  readonly openSchema: () => Promise<SchemaKeeper>;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly processId: number;
  /** Null unless npm runs the command. */
  readonly launcher: Launcher | null;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  /** Must keep the process alive while they run. */
  readonly timers: Timers;
  readonly random: Random;
  /** Calls the listener for each signal that asks to stop; the answer takes it off again. */
  readonly onStopSignal: (listener: (signal: StopSignal) => void) => () => void;
  /**
   * Hands over what Node.js would print in its own format: warnings, and what nobody caught, after
   * which the process ends. The answer gives both back to Node.js.
   */
  readonly onProcessTrouble: (
    listener: (level: "warn" | "fatal", error: unknown) => void,
  ) => () => void;
  /** Ends the process without waiting for anything. */
  readonly exitNow: (code: number) => void;
}
