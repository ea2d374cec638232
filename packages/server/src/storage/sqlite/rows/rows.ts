import type { SQLInputValue, SQLOutputValue } from "node:sqlite";

export type Row = Record<string, SQLOutputValue>;

/** A row of a statement that returns lists. */
export type Values = readonly SQLOutputValue[];

/** One value for each column. A list that lacks one does not compile. */
export type ValuesOf<Columns extends readonly string[]> = {
  -readonly [Index in keyof Columns]: SQLInputValue;
};

export function insertInto(table: string, columns: readonly string[], verb = "INSERT"): string {
  const marks = columns.map(() => "?");
  return `${verb} INTO ${table} (${columns.join(", ")}) VALUES (${marks.join(", ")})`;
}

export function assignments(columns: readonly string[]): string {
  return columns.map((column) => `${column} = ?`).join(", ");
}
