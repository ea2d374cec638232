import { parseTime } from "../../domain/times.ts";
import type { Cell } from "./table.ts";

const units = [
  { unit: "s", unitMs: 1_000, nextMs: 60_000 },
  { unit: "min", unitMs: 60_000, nextMs: 3_600_000 },
  { unit: "h", unitMs: 3_600_000, nextMs: 86_400_000 },
  { unit: "d", unitMs: 86_400_000, nextMs: 365 * 86_400_000 },
  { unit: "y", unitMs: 365 * 86_400_000, nextMs: Infinity },
] as const;

/** A difference such as "in 4 s", "3 min ago" or "now", rounded to the largest unit that fits. */
export function relativeTime(differenceMs: number): string {
  const distanceMs = Math.abs(differenceMs);
  if (distanceMs < 500) return "now";
  const rounded = (unitMs: number): number => Math.round(distanceMs / unitMs);
  // If rounding reaches the next unit, that unit is used: 59 min 58 s is an hour.
  const { unit, unitMs } =
    units.find((step) => rounded(step.unitMs) * step.unitMs < step.nextMs) ?? units[0];
  const amount = `${rounded(unitMs)} ${unit}`;
  return differenceMs > 0 ? `in ${amount}` : `${amount} ago`;
}

/** A time from the service with the relative time beside it; a dash for null. */
export function timeBeside(text: string | null, now: number): string {
  if (text === null) return "-";
  const parsed = parseTime(text);
  return parsed.ok ? `${text} (${relativeTime(parsed.time - now)})` : text;
}

/** Like `timeBeside`, for a table: where there is little room, it is the time or the relative time alone. */
export function timeCell(text: string | null, now: number): Cell {
  const parsed = text === null ? undefined : parseTime(text);
  if (text === null || !parsed?.ok) return text ?? "-";
  const toTheSecond = text.replace(/\.\d+(?=Z$)/, "");
  return [timeBeside(text, now), toTheSecond, relativeTime(parsed.time - now)];
}
