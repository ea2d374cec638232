/** Crockford's alphabet in lower case: it sorts like the bytes and has no look-alikes. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const valueOf = new Int8Array(128).fill(-1);
for (let value = 0; value < alphabet.length; value++) valueOf[alphabet.charCodeAt(value)] = value;

/**
 * Encodes any number of bytes as base32, most significant bit first, padded with zero bits at the
 * front.
 */
export function encodeBase32(bytes: Uint8Array): string {
  const length = Math.ceil((bytes.length * 8) / 5);
  let bitCount = length * 5 - bytes.length * 8;
  let bits = 0;
  let text = "";
  for (const byte of bytes) {
    bits = (bits << 8) | byte;
    bitCount += 8;
    while (bitCount >= 5) {
      bitCount -= 5;
      text += alphabet[(bits >> bitCount) & 31];
    }
    bits &= (1 << bitCount) - 1;
  }
  return text;
}

/** Decodes the text, or returns undefined if no `byteLength` bytes encode to it. */
export function decodeBase32(text: string, byteLength: number): Uint8Array | undefined {
  if (text.length !== Math.ceil((byteLength * 8) / 5)) return undefined;
  const bytes = new Uint8Array(byteLength);
  let skip = text.length * 5 - byteLength * 8;
  let bits = 0;
  let bitCount = 0;
  let at = 0;
  for (let index = 0; index < text.length; index++) {
    const value = valueOf[text.charCodeAt(index)] ?? -1;
    if (value < 0) return undefined;
    bits = (bits << 5) | value;
    bitCount += 5;
    if (skip > 0) {
      if (value >> (5 - skip) !== 0) return undefined;
      bitCount -= skip;
      bits &= (1 << bitCount) - 1;
      skip = 0;
    }
    if (bitCount >= 8) {
      bitCount -= 8;
      bytes[at++] = (bits >> bitCount) & 255;
      bits &= (1 << bitCount) - 1;
    }
  }
  return bytes;
}
