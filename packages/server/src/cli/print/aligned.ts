import { stripVTControlCharacters } from "node:util";

/** Rows with each column as wide as its widest cell; colours do not count. Nothing else drives a terminal. */
export function alignedRows(given: readonly (readonly string[])[]): string {
  const rows = given.map((row) => row.map(keepColours));
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
    });
  }
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => pad(cell, widths[column]!))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}

function widthOf(cell: string): number {
  return stripVTControlCharacters(cell).length;
}

function pad(cell: string, width: number): string {
  return cell + " ".repeat(width - widthOf(cell));
}

/** As `Paint` writes them. */
// oxlint-disable-next-line no-control-regex -- it is what a colour begins with
const colours = /(\u001b\[\d{1,2}m)/u;

function keepColours(cell: string): string {
  // With a group, every second piece is what was split at.
  const pieces = cell.split(colours);
  return pieces.map((piece, index) => (index % 2 === 1 ? piece : onOneLine(piece))).join("");
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

/** The same, with its lines and tabs as they are. */
export function withoutControls(text: string): string {
  return text.replaceAll(controls, (character) =>
    character === "\n" || character === "\t" ? character : onOneLine(character),
  );
}

/** The first characters, with an ellipsis for the rest; never half of a surrogate pair. */
export function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  let end = length - 1;
  const last = text.charCodeAt(end - 1);
  if (last >= 0xd800 && last <= 0xdbff) end--;
  return `${text.slice(0, end)}…`;
}
