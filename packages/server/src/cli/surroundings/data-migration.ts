/** A request to move a data folder into a database. */
export interface MigrationRequest {
  /** The data folder. */
  readonly from: string;
  /** The database URL. */
  readonly to: string;
  /** Asks to stop at the next opportunity. Rows that were copied stay. */
  readonly signal: AbortSignal;
  readonly onEvent: (event: MigrationEvent) => void;
}

export type MigrationEvent =
  /** `copied`: the number of rows that an earlier run copied. */
  | { readonly kind: "began"; readonly rows: number; readonly copied: number }
  | { readonly kind: "copied"; readonly what: string; readonly rows: number }
  /** All rows are copied. */
  | { readonly kind: "comparing" }
  | { readonly kind: "compared"; readonly what: string; readonly rows: number };

export type MigrationResult =
  | { readonly kind: "migrated"; readonly tables: readonly ComparedTable[] }
  /** The copy differs from the source. Servers refuse to start on it. */
  | { readonly kind: "different"; readonly tables: readonly ComparedTable[] }
  | { readonly kind: "stopped" };

export interface ComparedTable {
  /** `accounts`, `keys`, … */
  readonly kind: string;
  readonly source: RowSum;
  readonly destination: RowSum;
  readonly equal: boolean;
  /** The key of the first row, in order, that differs between the two sides. */
  readonly firstDifference: readonly (string | number)[] | null;
}

export interface RowSum {
  readonly rows: number;
  readonly checksum: string;
}

/** If the cause lies outside the program, rejects with a sentence that says what to do. */
export type DataMigrator = (request: MigrationRequest) => Promise<MigrationResult>;
