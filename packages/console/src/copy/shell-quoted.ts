/** One word for a POSIX shell, whatever is in it. */
export function shellQuoted(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * Characters that a terminal takes for keys when they are pasted, also between quotes: a backspace deletes what stands
 * before it, an interrupt ends the line, so that the next line is a command of its own.
 */
const keys = /(?!\n)\p{Cc}/u;

export function hasKeys(text: string): boolean {
  return keys.test(text);
}

/** JSON in which such characters are written out. */
export function pastableJson(value: unknown, indent?: number): string {
  // JSON itself writes out the others.
  return JSON.stringify(value, null, indent).replaceAll(
    /[\u007f-\u009f]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A command that prints the text, and has no such character in it. */
export function printing(text: string): string {
  const format = text
    .replaceAll("\\", "\\\\")
    .replaceAll("%", "%%")
    .replaceAll(new RegExp(keys, "gu"), inOctal)
    // Otherwise printf takes it for an option.
    .replace(/^-/, inOctal);
  return `printf ${shellQuoted(format)}`;
}

function inOctal(text: string): string {
  const bytes = [...new TextEncoder().encode(text)];
  return bytes.map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
}
