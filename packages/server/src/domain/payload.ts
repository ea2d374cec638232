/** The most Unicode code points that a payload may have. */
export const payloadLimit = 61_440;

export type PayloadFault = "too-long" | "lone-surrogate";

/** What keeps a text from being a payload; undefined: nothing. */
export function payloadFault(text: string): PayloadFault | undefined {
  // A code point takes one or two units, so most texts are decided by their length alone.
  if (text.length > payloadLimit && codePointCount(text) > payloadLimit) return "too-long";
  if (!text.isWellFormed()) return "lone-surrogate";
  return undefined;
}

export function codePointCount(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at++) {
    if ((text.charCodeAt(at) & 0xfc00) !== 0xd800) continue;
    if ((text.charCodeAt(at + 1) & 0xfc00) !== 0xdc00) continue;
    count--;
    at++;
  }
  return count;
}
