/** How much a body may contain. See `docs/spec-decisions.md`. */
export interface JsonLimits {
  /** Counts the body itself and everything in it: fields, entries, objects and lists. */
  readonly mostValues: number;
  /** Of one object. */
  readonly mostNames: number;
  readonly deepest: number;
  /** In bytes, as written. */
  readonly longestName: number;
}

export type Excess = "values" | "names" | "depth" | "name";

/** `names` is the number of fields in all objects together, repeated ones included. */
export type JsonScan = { readonly names: number } | { readonly excess: Excess };

/** Marks the bytes that structure the text. Most bytes of a body do not. */
const matters = new Uint8Array(256);
for (const character of '"{}[]:,') matters[character.charCodeAt(0)] = 1;

/** How many names the object at each depth has so far. Deeper objects are not counted: no body may be that deep. */
const namesAtDepth = new Uint32Array(64);

/** For shorter strings, a loop over the bytes is faster than `indexOf`. */
const shortStringBytes = 64;

/**
 * Counts what `JSON.parse` would make, before it makes anything. It is one pass over the bytes, and it ends
 * as soon as the body exceeds a limit.
 *
 * The text need not be JSON. Up to the byte where `JSON.parse` would fail, both read the text in the same
 * way, and beyond that byte `JSON.parse` makes nothing.
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
        // Counts the first entry. Every other entry has a comma before it.
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

/** The index of the next structural byte, at `from` or later. */
export function nextMark(bytes: Uint8Array, from: number): number {
  const { length } = bytes;
  let index = from;
  while (index < length && matters[bytes[index]!] === 0) index++;
  return index;
}

/** The index of the quotation mark that closes the string at `start`, or the end of the text if none does. */
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

/** `from` is never in the middle of an escape, so nothing before it matters. */
function isEscaped(bytes: Uint8Array, mark: number, from: number): boolean {
  let first = mark;
  while (first > from && bytes[first - 1] === 92) first--;
  return (mark - first) % 2 === 1;
}

function isClosing(bytes: Uint8Array, from: number): boolean {
  let index = from;
  // Valid JSON has no other bytes up to 32 here than its four blanks.
  while (index < bytes.length && bytes[index]! <= 32) index++;
  return bytes[index] === 93 || bytes[index] === 125;
}
