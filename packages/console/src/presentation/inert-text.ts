/**
 * Characters that change how the text around them looks, or that nobody sees: control characters other than tab and line
 * feed, marks of the writing direction, characters without a width, tags, and halves of characters.
 */
const tricky =
  /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u3164\uffa0]/gu;

/** The text of others, with such characters written out: `\u202e`. For the eyes; what is copied stays as it is. */
export function inertText(text: string): string {
  return text.replace(tricky, (found) => {
    const hex = found.codePointAt(0)!.toString(16);
    return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`;
  });
}
