import { InvalidValue } from "./invalid-value.ts";

/** From the largest to the smallest. A duration names its units in this order, each at most once. */
const unitsMs = {
  w: 7 * 24 * 3_600_000,
  d: 24 * 3_600_000,
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
  ms: 1,
} as const;

type Unit = keyof typeof unitsMs;

const units = Object.keys(unitsMs) as Unit[];
const part = /(\d+(?:\.\d+)?)(ms|[smhdw])/gy;
const example = "write it like 90s, 1h30m or 14d (units: ms s m h d w)";

/** Reads `1h30m` as whole milliseconds. Throws `InvalidValue` for text that is not a duration. */
export function parseDuration(text: string): number {
  const written = text.trim();
  if (written === "") throw new InvalidValue(`is empty; ${example}`);
  if (/^\d+(\.\d+)?$/.test(written) && Number(written) !== 0) {
    throw new InvalidValue(`has no unit: "${text}"; ${example}`);
  }
  if (/^0+$/.test(written)) return 0;
  let totalMs = 0;
  let read = 0;
  let lastUnit = -1;
  for (const [whole, amount, name] of written.matchAll(part)) {
    const unit = units.indexOf(name as Unit);
    if (unit <= lastUnit) {
      throw new InvalidValue(`has its units out of order or twice: "${text}"; ${example}`);
    }
    lastUnit = unit;
    totalMs += Number(amount) * unitsMs[name as Unit];
    read += whole.length;
  }
  if (read !== written.length) throw new InvalidValue(`is not a duration: "${text}"; ${example}`);
  const roundedMs = Math.round(totalMs);
  if (!Number.isSafeInteger(roundedMs)) throw new InvalidValue(`is too long: "${text}"`);
  return roundedMs;
}

/** The shortest text that `parseDuration` reads back as the same duration. */
export function formatDuration(durationMs: number): string {
  let restMs = durationMs;
  let text = "";
  for (const unit of units) {
    // People who set a retention write two weeks as "14d".
    if (unit === "w") continue;
    const amount = Math.floor(restMs / unitsMs[unit]);
    if (amount > 0) text += `${amount}${unit}`;
    restMs -= amount * unitsMs[unit];
  }
  return text === "" ? "0s" : text;
}
