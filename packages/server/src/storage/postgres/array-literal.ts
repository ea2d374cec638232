/**
 * An array as PostgreSQL reads it from text, for values that need no quotes: numbers, and words of
 * letters, digits and dashes such as UUIDs. The driver would look at each element by itself, which
 * costs more than the rest of the call.
 */
export function arrayLiteral(values: readonly (number | string | null | undefined)[]): string {
  let text = "{";
  for (let index = 0; index < values.length; index++) {
    if (index > 0) text += ",";
    text += values[index] ?? "NULL";
  }
  return `${text}}`;
}
