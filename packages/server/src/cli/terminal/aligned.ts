import { cutToWidth, displayWidth } from "./display-width.ts";

export const gap = "  ";

/**
 * Aligns rows: each column is as wide as its widest cell, colours not counted. Only colours reach the
 * terminal.
 */
export function alignedRows(given: readonly (readonly string[])[]): string {
  const rows = safeRows(given);
  const widths = widthsOf(rows);
  return rows.map((row) => `${lineOf(row, widths)}\n`).join("");
}

/** The same cells without control characters, except for colours. */
export function safeRows(rows: readonly (readonly string[])[]): string[][] {
  return rows.map((row) => row.map(keepColours));
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

/** One line of cells, each padded or cut to the width of its column. */
export function lineOf(row: readonly string[], widths: readonly number[]): string {
  return row
    .map((cell, column) => padded(cutToWidth(cell, widths[column]!), widths[column]!))
    .join(gap)
    .trimEnd();
}

function padded(cell: string, width: number): string {
  return cell + " ".repeat(width - displayWidth(cell));
}

/** Colours as `Paint` writes them. */
// oxlint-disable-next-line no-control-regex -- a colour begins with it
const colours = /(\u001b\[\d{1,2}m)/u;

function keepColours(cell: string): string {
  // The expression has a group, so every second piece is a colour.
  const pieces = cell.split(colours);
  return pieces.map((piece, index) => (index % 2 === 1 ? piece : onOneLine(piece))).join("");
}

const controls = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** Puts foreign text on one line and escapes its control characters. */
export function onOneLine(text: string): string {
  return text.replaceAll(controls, (character) => {
    if (character === "\n") return "\\n";
    if (character === "\r") return "\\r";
    if (character === "\t") return "\\t";
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** Like `onOneLine`, but keeps line breaks and tabs. */
export function withoutControls(text: string): string {
  return text.replaceAll(controls, (character) =>
    character === "\n" || character === "\t" ? character : onOneLine(character),
  );
}

/** The first characters, with an ellipsis for the rest. Never cuts a surrogate pair in half. */
export function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  let end = length - 1;
  const last = text.charCodeAt(end - 1);
  if (last >= 0xd800 && last <= 0xdbff) end--;
  return `${text.slice(0, end)}…`;
}
