import type { Settings } from "../../config/settings.ts";

/** The store: the database if there is one, otherwise the data folder. */
export type StoreAddress = Pick<Settings, "dataDir" | "databaseUrl">;

export interface SchemaState {
  readonly store: "embedded" | "postgresql";
  /** 0: there is none yet. */
  readonly version: number;
  readonly known: number;
  /** The steps that an upgrade would apply, in order. */
  readonly pending: readonly string[];
  /** `postdate migrate` has begun to fill the store and has not finished. */
  readonly migrationUnfinished: boolean;
}

/** If the cause lies outside the program, both reject with a sentence that says what to do. */
export interface SchemaKeeper {
  /** Reads the state and changes nothing. */
  status(address: StoreAddress): Promise<SchemaState>;
  upgrade(address: StoreAddress, onApplied: (step: string) => void): Promise<SchemaState>;
}
