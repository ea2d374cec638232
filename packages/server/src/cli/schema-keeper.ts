import type { Settings } from "../config/settings.ts";

/** Which store: the database, or where there is none the data folder. */
export type StoreAddress = Pick<Settings, "dataDir" | "databaseUrl">;

export interface SchemaState {
  readonly store: "embedded" | "postgresql";
  /** 0: there is none yet. */
  readonly version: number;
  readonly known: number;
  /** What an upgrade would apply, in order. */
  readonly pending: readonly string[];
  /** `postdate migrate` has begun to fill it and has not come to its end. */
  readonly migrationUnfinished: boolean;
}

/** Both reject with a sentence that says what to do where the reason lies outside the program. */
export interface SchemaKeeper {
  /** Looks, and changes nothing. */
  status(address: StoreAddress): Promise<SchemaState>;
  upgrade(address: StoreAddress, onApplied: (step: string) => void): Promise<SchemaState>;
}
