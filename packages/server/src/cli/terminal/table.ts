import { alignedRows, gap, lineOf, safeRows, widthsOf } from "./aligned.ts";
import { factLines, type Fact } from "./card.ts";
import { cutToWidth, displayWidth } from "./display-width.ts";
import type { Look } from "./look.ts";

/** Below this width a column should rather let others say less. */
const comfortable = 30;
/** A column that is narrower than this is of no use. */
const narrowest = 12;

/** One text, or several that say less and less, the widest first. */
export type Cell = string | readonly [string, ...string[]];

export interface Table {
  readonly titles: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** The columns that may be cut, in this order. Ids must stay complete. */
  readonly shortenable?: readonly string[];
  /** A line below each row, or none; cut to the terminal. */
  readonly notes?: readonly (string | null)[];
}

/**
 * A table that fits the terminal. If it does not, its cells say less, then columns are cut, and if that
 * is not enough, each row becomes a card. Through a pipe, the table is complete.
 */
export function tableOf(table: Table, look: Look): string {
  const { columns } = look;
  if (columns === null)
    return joined(table, alignedRows(textsOf(table, look, 0)).split("\n"), look);
  const forms = table.rows.flat().map((cell) => (typeof cell === "string" ? 1 : cell.length));
  const last = Math.max(1, ...forms) - 1;
  for (let form = 0; form <= last; form++) {
    const texts = textsOf(table, look, form);
    const widths = fittingWidths(table, texts, columns, form < last ? comfortable : narrowest);
    if (widths !== undefined) {
      return joined(
        table,
        texts.map((row) => lineOf(row, widths)),
        look,
      );
    }
  }
  return cardsOf(table, columns, look);
}

/** The heading and the rows, with their cells in this form or the last that they have. */
function textsOf({ titles, rows }: Table, { paint }: Look, form: number): string[][] {
  const texts = rows.map((row) =>
    row.map((cell) => (typeof cell === "string" ? cell : (cell[form] ?? cell.at(-1)!))),
  );
  return safeRows([titles.map((title) => paint("bold", title)), ...texts]);
}

/** Undefined if the table does not fit although every shortenable column is cut to `least`. */
function fittingWidths(
  { titles, shortenable = [] }: Table,
  texts: readonly (readonly string[])[],
  columns: number,
  least: number,
): number[] | undefined {
  const widths = widthsOf(texts);
  const excess = (): number => sum(widths) + gap.length * (widths.length - 1) - columns;
  for (const title of shortenable) {
    const column = titles.indexOf(title);
    const width = widths[column]!;
    widths[column] = Math.max(Math.min(least, width), width - Math.max(0, excess()));
  }
  return excess() > 0 ? undefined : widths;
}

function joined({ notes = [] }: Table, lines: readonly string[], look: Look): string {
  const [heading, ...rows] = lines.filter((line) => line !== "");
  const withNotes = rows.flatMap((line, index) => [line, ...noteLines(notes[index], look)]);
  return textOf(look.isContinued === true ? withNotes : [heading!, ...withNotes]);
}

/** One line for each cell, and an empty line between rows. */
function cardsOf(table: Table, columns: number, look: Look): string {
  const { titles, shortenable = [] } = table;
  const room = columns - Math.max(...titles.map(displayWidth)) - gap.length;
  const fits = (text: string): boolean => displayWidth(text) <= room;
  const rows = table.rows.map((row) =>
    row.map((cell) => (typeof cell === "string" ? cell : (cell.find(fits) ?? cell.at(-1)!))),
  );
  const factOf = (text: string, column: number): Fact => ({
    title: look.paint("bold", titles[column]!),
    lines: [shortenable.includes(titles[column]!) ? cutToWidth(text, room) : text],
  });
  return textOf(
    safeRows(rows).flatMap((row, index) => {
      const facts = row.map(factOf);
      return [
        ...(index > 0 || look.isContinued === true ? [""] : []),
        ...factLines(facts, columns),
        ...noteLines(table.notes?.[index], look),
      ];
    }),
  );
}

function noteLines(note: string | null | undefined, { columns }: Look): string[] {
  if (note === null || note === undefined) return [];
  return [columns === null ? note : cutToWidth(note, columns)];
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
