/** Texts in one buffer. The driver sends it as bytes, but would send an array as text with quotes. */
export interface PackedTexts {
  readonly bytes: Buffer;
  /** Where each text begins, counted from 1, and its length; null for none. */
  readonly starts: readonly number[];
  readonly lengths: readonly (number | null)[];
}

/** A text that equals the one before is packed once: the runs of one schedule have the same payload. */
export function packTexts(texts: readonly (string | null)[]): PackedTexts {
  const isRepeated = (index: number): boolean => index > 0 && texts[index] === texts[index - 1];
  const lengths: (number | null)[] = [];
  let size = 0;
  for (const [index, text] of texts.entries()) {
    const repeated = isRepeated(index);
    lengths.push(repeated ? lengths[index - 1]! : text === null ? null : Buffer.byteLength(text));
    if (!repeated) size += lengths[index] ?? 0;
  }
  const bytes = Buffer.allocUnsafe(size);
  const starts: number[] = [];
  let at = 0;
  for (const [index, text] of texts.entries()) {
    if (isRepeated(index)) {
      starts.push(starts[index - 1]!);
      continue;
    }
    starts.push(at + 1);
    if (text === null) continue;
    bytes.write(text, at, "utf8");
    at += lengths[index]!;
  }
  return { bytes, starts, lengths };
}
