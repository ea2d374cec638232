export type Unit = readonly [name: string, ms: number];

const units: readonly Unit[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
];

/**
 * A duration for people: "62 ms", "3.06 s", "1 min 30 s", "1 d 12 h". Whole milliseconds below a
 * second, at most two decimals below a minute, whole seconds above.
 */
export function durationText(durationMs: number): string {
  const wholeMs = Math.round(durationMs);
  if (wholeMs < 1_000) return `${wholeMs} ms`;
  const hundredths = Math.round(wholeMs / 10);
  if (hundredths < 6_000) return `${hundredths / 100} s`;
  return amountsOf(Math.round(wholeMs / 1_000) * 1_000, units).join(" ");
}

/** How much of each unit a duration has, the largest unit first, without those that it has none of. */
export function amountsOf(durationMs: number, ofUnits: readonly Unit[]): string[] {
  let restMs = durationMs;
  const amounts: string[] = [];
  for (const [name, unitMs] of ofUnits) {
    const amount = Math.floor(restMs / unitMs);
    if (amount > 0) amounts.push(`${amount} ${name}`);
    restMs -= amount * unitMs;
  }
  return amounts;
}
