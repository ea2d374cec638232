import { alignedRows, gap, lineOf, safeRows, widthsOf } from "./aligned.ts";
import { cutToWidth } from "./display-width.ts";
import type { Look } from "./look.ts";

/** Shortening a column below this leaves nothing to recognise. */
const narrowest = 12;

export interface Table {
  readonly titles: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** The columns that may be shortened, the first one first; ids are worth nothing in part. */
  readonly shortenable?: readonly string[];
}

/** A table that fits the terminal. Whoever reads it through a pipe gets all of it. */
export function tableOf(
  { titles, rows, shortenable = [] }: Table,
  { paint, columns }: Look,
): string {
  const all = safeRows([titles.map((title) => paint("bold", title)), ...rows]);
  if (columns === null) return alignedRows(all);
  const widths = widthsOf(all);
  for (const title of shortenable) {
    const column = titles.indexOf(title);
    const excess = sum(widths) + gap.length * (widths.length - 1) - columns;
    if (excess > 0) {
      widths[column] = Math.max(Math.min(narrowest, widths[column]!), widths[column]! - excess);
    }
  }
  return all.map((row) => `${cutToWidth(lineOf(row, widths), columns)}\n`).join("");
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
