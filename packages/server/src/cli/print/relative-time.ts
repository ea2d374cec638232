import { parseTime } from "../../domain/times.ts";

const steps: readonly (readonly [unit: string, ms: number])[] = [
  ["y", 365 * 86_400_000],
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
];

/** "in 4 s", "3 min ago", "now": a difference, to the largest unit that fits. */
export function relativeTime(differenceMs: number): string {
  const distanceMs = Math.abs(differenceMs);
  if (distanceMs < 500) return "now";
  const roundedMs = Math.round(distanceMs / 1_000) * 1_000;
  const [unit, unitMs] = steps.find(([, ms]) => roundedMs >= ms) ?? ["s", 1_000];
  const amount = `${Math.floor(roundedMs / unitMs)} ${unit}`;
  return differenceMs > 0 ? `in ${amount}` : `${amount} ago`;
}

/** A time of the service's with the relative one beside it; a dash for none. */
export function timeBeside(text: string | null, now: number): string {
  if (text === null) return "-";
  const parsed = parseTime(text);
  return parsed.ok ? `${text} (${relativeTime(parsed.time - now)})` : text;
}
