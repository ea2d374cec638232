/*
 * Arrays in PostgreSQL's text form. The driver would check each element, which costs more than the rest of the
 * call.
 */

/** For values that need no quotes: numbers, and words of letters, digits and dashes such as UUIDs. */
export function arrayLiteral(values: readonly (number | string | null | undefined)[]): string {
  let text = "{";
  for (let index = 0; index < values.length; index++) {
    if (index > 0) text += ",";
    text += values[index] ?? "NULL";
  }
  return `${text}}`;
}

/** For any text. */
export function textArrayLiteral(values: readonly (string | null)[]): string {
  let text = "{";
  for (let index = 0; index < values.length; index++) {
    if (index > 0) text += ",";
    const value = values[index]!;
    text += value === null ? "NULL" : quoted(value);
  }
  return `${text}}`;
}

const special = /["\\]/;

function quoted(text: string): string {
  return `"${special.test(text) ? text.replaceAll(/["\\]/g, String.raw`\$&`) : text}"`;
}
