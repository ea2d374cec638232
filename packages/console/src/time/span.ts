const unitMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Reads `30s`, `5m`, `2h` or `1d`, also with a minus, as milliseconds; undefined if the text is none of these. */
export function readSpan(text: string): number | undefined {
  const [, sign, count, unit] = /^([+-]?)(\d{1,6})\s*([smhd])$/.exec(text.trim()) ?? [];
  if (unit === undefined) return undefined;
  return (sign === "-" ? -1 : 1) * Number(count) * unitMs[unit]!;
}
