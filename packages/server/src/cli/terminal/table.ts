import { alignedRows, gap, lineOf, safeRows, widthsOf } from "./aligned.ts";
import { cutToWidth } from "./display-width.ts";
import type { Look } from "./look.ts";

/** A column that is narrower than this is of no use. */
const narrowest = 12;

export interface Table {
  readonly titles: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** The columns that may be shortened, in this order. Ids must stay complete. */
  readonly shortenable?: readonly string[];
}

/** A table that fits the terminal. Through a pipe, the table is complete. */
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
