const width = 16;

/** Sixteen bytes a line, with their place and what of them can be read. */
export function hexDump(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += width) {
    const row = [...bytes.subarray(at, at + width)];
    const hex = row.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const text = row.map((byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : "·"));
    lines.push(`${at.toString(16).padStart(6, "0")}  ${hex.padEnd(width * 3)} ${text.join("")}`);
  }
  return lines.join("\n");
}
