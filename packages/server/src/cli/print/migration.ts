import type { Paint } from "../terminal/colours.ts";
import type { ComparedTable } from "../surroundings/data-migration.ts";
import { alignedRows } from "../terminal/aligned.ts";
import { counted } from "../terminal/progress.ts";

/** What was compared, a line for each kind; numbers end in one column. */
export function comparedRows(tables: readonly ComparedTable[], paint: Paint): string {
  const rows = tables.map(({ kind, source, destination, equal }) => ({
    kind: wordsOf(kind),
    source: counted(source.rows),
    destination: counted(destination.rows),
    checksum: equal ? paint("green", "equal") : paint("red", "DIFFERENT"),
  }));
  const width = (column: "source" | "destination"): number =>
    Math.max(column.length, ...rows.map((row) => row[column].length));
  const right = (text: string, column: "source" | "destination"): string =>
    text.padStart(width(column));
  return alignedRows([
    ["KIND", right("SOURCE", "source"), right("DESTINATION", "destination"), "CHECKSUM"].map(
      (cell) => paint("bold", cell),
    ),
    ...rows.map((row) => [
      row.kind,
      right(row.source, "source"),
      right(row.destination, "destination"),
      row.checksum,
    ]),
  ]);
}

/** "idempotencyKeys" as "idempotency keys". */
export function wordsOf(kind: string): string {
  return kind.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** Where a database is, without the password that its address may hold. */
export function databasePlace(databaseUrl: string): string {
  const { hostname, port, pathname } = new URL(databaseUrl);
  const socketOrHost = decodeURIComponent(hostname);
  const host =
    hostname === "" ? "the local socket" : socketOrHost + (port === "" ? "" : `:${port}`);
  return pathname.length > 1 ? `${host}${pathname}` : host;
}
