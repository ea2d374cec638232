/** What a body may have in it; see `docs/spec-decisions.md`. */
export interface JsonLimits {
  /** The body itself, and everything in it: fields, entries, objects and lists. */
  readonly mostValues: number;
  /** Of one object. */
  readonly mostNames: number;
  readonly deepest: number;
  /** In bytes, as written. */
  readonly longestName: number;
}

export type Excess = "values" | "names" | "depth" | "name";

/** `names` counts the fields of all objects together, repeated ones too. */
export type JsonScan = { readonly names: number } | { readonly excess: Excess };

/** Which bytes say something about structure: most of a body does not. */
const matters = new Uint8Array(256);
for (const character of '"{}[]:,') matters[character.charCodeAt(0)] = 1;

/** How many names the object at each depth has so far; what is deeper than any body may be is not counted. */
const namesAtDepth = new Uint32Array(64);

/** Below this a loop over the bytes is quicker than asking for the next quotation mark. */
const shortStringBytes = 64;

/**
 * Counts what `JSON.parse` would make, before it makes anything: one pass over the bytes, which ends
 * where the body is found to have too much of something.
 *
 * The text need not be JSON. Up to where `JSON.parse` would give up both read the same, and it makes
 * nothing beyond that.
 */
export function scanJson(bytes: Uint8Array, limits: JsonLimits): JsonScan {
  const { mostValues, mostNames, deepest, longestName } = limits;
  const { length } = bytes;
  namesAtDepth[0] = 0;
  let values = 1;
  let names = 0;
  let depth = 0;
  let stringBytes = 0;
  for (let index = nextMark(bytes, 0); index < length; index = nextMark(bytes, index + 1)) {
    switch (bytes[index]) {
      case 34 /* " */: {
        const end = endOfString(bytes, index);
        stringBytes = end - index - 1;
        index = end;
        break;
      }
      case 58 /* : */:
        names++;
        if (++namesAtDepth[depth]! > mostNames) return { excess: "names" };
        if (stringBytes > longestName) return { excess: "name" };
        break;
      case 44 /* , */:
        if (++values > mostValues) return { excess: "values" };
        break;
      case 91 /* [ */:
      case 123 /* { */:
        if (++depth > deepest) return { excess: "depth" };
        namesAtDepth[depth] = 0;
        // Its first entry; every other one has a comma before it.
        if (!isClosing(bytes, index + 1) && ++values > mostValues) return { excess: "values" };
        break;
      case 93 /* ] */:
      case 125 /* } */:
        depth--;
        break;
      default:
    }
  }
  return { names };
}

/** The next byte that says something about structure, from this one on. */
export function nextMark(bytes: Uint8Array, from: number): number {
  const { length } = bytes;
  let index = from;
  while (index < length && matters[bytes[index]!] === 0) index++;
  return index;
}

/** Where the string that begins here has its closing quotation mark; the end of the text if nowhere. */
export function endOfString(bytes: Uint8Array, start: number): number {
  const { length } = bytes;
  let index = start + 1;
  for (;;) {
    const quickUntil = Math.min(length, index + shortStringBytes);
    for (; index < quickUntil; index++) {
      const byte = bytes[index];
      if (byte === 34) return index;
      if (byte === 92 /* \ */) index++;
    }
    const mark = index < length ? bytes.indexOf(34, index) : -1;
    if (mark === -1) return length;
    if (!isEscaped(bytes, mark, index)) return mark;
    index = mark + 1;
  }
}

/** Nothing before `from` matters: it is not in the middle of an escape. */
function isEscaped(bytes: Uint8Array, mark: number, from: number): boolean {
  let first = mark;
  while (first > from && bytes[first - 1] === 92) first--;
  return (mark - first) % 2 === 1;
}

function isClosing(bytes: Uint8Array, from: number): boolean {
  let index = from;
  // JSON has no other characters up to the space than its four blanks.
  while (index < bytes.length && bytes[index]! <= 32) index++;
  return bytes[index] === 93 || bytes[index] === 125;
}
