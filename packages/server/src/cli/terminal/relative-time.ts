import { parseTime } from "../../domain/times.ts";
import { amountsOf, type Unit } from "./duration-text.ts";
import type { Cell } from "./table.ts";

/** From the largest to the smallest. */
const units: readonly Unit[] = [
  ["y", 365 * 86_400_000],
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
];

/** A difference such as "in 4 s", "1 h 30 min ago" or "now", in the two largest units. */
export function relativeTime(differenceMs: number): string {
  const distanceMs = Math.abs(differenceMs);
  if (distanceMs < 500) return "now";
  const rounded = (unitMs: number): number => Math.round(distanceMs / unitMs) * unitMs;
  // If rounding reaches the next unit, that unit is used: 59 min 59.9 s is an hour.
  const largest = units.findLastIndex((_unit, at) => rounded(finerThan(at)) < largerThan(at));
  return directed(differenceMs, amountsOf(rounded(finerThan(largest)), units).join(" "));
}

/** Like `relativeTime`, to the millisecond. */
export function exactRelativeTime(differenceMs: number): string {
  if (differenceMs === 0) return "now";
  const exactly = amountsOf(Math.abs(differenceMs), [...units.slice(1), ["ms", 1]]);
  return directed(differenceMs, exactly.join(" "));
}

function finerThan(at: number): number {
  return (units[at + 1] ?? units[at]!)[1];
}

function largerThan(at: number): number {
  return units[at - 1]?.[1] ?? Infinity;
}

function directed(differenceMs: number, distance: string): string {
  return differenceMs > 0 ? `in ${distance}` : `${distance} ago`;
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
