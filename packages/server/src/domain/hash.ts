/** FNV-1a, 32 bits: spreads texts that differ only in their last characters. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  // The low bits of FNV-1a depend on few bits of the text.
  return (hash ^ (hash >>> 15)) >>> 0;
}
