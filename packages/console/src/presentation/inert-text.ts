/**
 * Characters that change how the text around them looks, or that nobody sees: control characters other than tab and line
 * feed, and marks of the writing direction.
 */
const tricky = new RegExp(
  String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]`,
  "g",
);

/** The text of others, with such characters written out: `\u202e`. For the eyes; what is copied stays as it is. */
export function inertText(text: string): string {
  return text.replace(tricky, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
