import { cutToWidth, displayWidth } from "./display-width.ts";

export const gap = "  ";

/** Rows with each column as wide as its widest cell; colours do not count. */
export function alignedRows(rows: readonly (readonly string[])[]): string {
  const widths = widthsOf(rows);
  return rows.map((row) => `${lineOf(row, widths)}\n`).join("");
}

export function widthsOf(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, displayWidth(cell));
    });
  }
  return widths;
}

/** One line of cells, each as wide as its column, those that are wider cut. */
export function lineOf(row: readonly string[], widths: readonly number[]): string {
  return row
    .map((cell, column) => padded(cutToWidth(cell, widths[column]!), widths[column]!))
    .join(gap)
    .trimEnd();
}

function padded(cell: string, width: number): string {
  return cell + " ".repeat(width - displayWidth(cell));
}

const controls = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** Text from elsewhere on one line, and unable to drive the terminal. */
export function onOneLine(text: string): string {
  return text.replaceAll(controls, (character) => {
    if (character === "\n") return "\\n";
    if (character === "\r") return "\\r";
    if (character === "\t") return "\\t";
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** The first characters, with an ellipsis for the rest; never half of a surrogate pair. */
export function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  let end = length - 1;
  const last = text.charCodeAt(end - 1);
  if (last >= 0xd800 && last <= 0xdbff) end--;
  return `${text.slice(0, end)}…`;
}
