/**
 * An array in PostgreSQL's text form, for values that need no quotes: numbers, and words of
 * letters, digits and dashes such as UUIDs. The driver would check each element, which costs more
 * than the rest of the call.
 */
export function arrayLiteral(values: readonly (number | string | null | undefined)[]): string {
  let text = "{";
  for (let index = 0; index < values.length; index++) {
    if (index > 0) text += ",";
    text += values[index] ?? "NULL";
  }
  return `${text}}`;
}
