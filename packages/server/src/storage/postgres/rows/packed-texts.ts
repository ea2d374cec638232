/** Texts in one buffer. The driver sends it as bytes, but would send an array as text with quotes. */
export interface PackedTexts {
  readonly bytes: Buffer;
  /** Where each text begins, counted from 1, and its length; null for none. */
  readonly starts: readonly number[];
  readonly lengths: readonly (number | null)[];
}

export function packTexts(texts: readonly (string | null)[]): PackedTexts {
  const lengths = texts.map((text) => (text === null ? null : Buffer.byteLength(text)));
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum: number, length) => sum + (length ?? 0), 0));
  const starts: number[] = [];
  let at = 0;
  for (const [index, text] of texts.entries()) {
    starts.push(at + 1);
    if (text === null) continue;
    bytes.write(text, at, "utf8");
    at += lengths[index]!;
  }
  return { bytes, starts, lengths };
}
