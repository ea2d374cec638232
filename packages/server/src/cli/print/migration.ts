import type { Paint } from "../terminal/colours.ts";
import type { ComparedTable } from "../surroundings/data-migration.ts";
import { alignedRows } from "../terminal/aligned.ts";
import { counted } from "../terminal/progress.ts";

/** One line for each kind that was compared, with aligned numbers. */
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

/** The address of a database without its password. */
export function databaseLocation(databaseUrl: string): string {
  const { hostname, port, pathname } = new URL(databaseUrl);
  const socketOrHost = decodeURIComponent(hostname);
  const host =
    hostname === "" ? "the local socket" : socketOrHost + (port === "" ? "" : `:${port}`);
  return pathname.length > 1 ? `${host}${pathname}` : host;
}
