/** Moving a data folder into a database, as the command line sees it. */
export interface MigrationRequest {
  /** The data folder. */
  readonly from: string;
  /** The database's address. */
  readonly to: string;
  /** Asks to stop at the next opportunity; what was copied stays. */
  readonly signal: AbortSignal;
  readonly onEvent: (event: MigrationEvent) => void;
}

export type MigrationEvent =
  /** `copied`: so many of the rows were there already, from an earlier run. */
  | { readonly kind: "began"; readonly rows: number; readonly copied: number }
  | { readonly kind: "copied"; readonly what: string; readonly rows: number }
  /** All is copied. */
  | { readonly kind: "comparing" }
  | { readonly kind: "compared"; readonly what: string; readonly rows: number };

export type MigrationResult =
  | { readonly kind: "migrated"; readonly tables: readonly ComparedTable[] }
  /** What arrived is not what was sent: servers refuse to start on it. */
  | { readonly kind: "different"; readonly tables: readonly ComparedTable[] }
  | { readonly kind: "stopped" };

export interface ComparedTable {
  /** `accounts`, `keys`, … */
  readonly kind: string;
  readonly source: RowSum;
  readonly destination: RowSum;
  readonly equal: boolean;
  /** The key of the first row, in order, that is not the same on both sides. */
  readonly firstDifference: readonly (string | number)[] | null;
}

export interface RowSum {
  readonly rows: number;
  readonly checksum: string;
}

/** Rejects with a sentence that says what to do where the reason lies outside the program. */
export type DataMigrator = (request: MigrationRequest) => Promise<MigrationResult>;
