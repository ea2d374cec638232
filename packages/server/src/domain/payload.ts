/** How many Unicode code points a payload may have. */
export const payloadLimit = 61_440;

export type PayloadFault = "too-long" | "lone-surrogate";

/** Why a text cannot be a payload; undefined: it can. */
export function payloadFault(text: string): PayloadFault | undefined {
  // A code point takes one or two units, so the length alone decides for most texts.
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
