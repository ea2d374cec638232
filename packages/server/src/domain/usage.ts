import type { Instant } from "./message.ts";

/** What an account has scheduled in one calendar month, in UTC. */
export interface Usage {
  /** Such as `2026-11`. */
  readonly month: string;
  readonly used: number;
  /** Null: no limit. */
  readonly limit: number | null;
}

/** Months sort like their names. */
export function monthOf(time: Instant): string {
  // Written out: each message that is made asks, and `toISOString` takes ten times as long.
  const date = new Date(time);
  const month = date.getUTCMonth() + 1;
  return `${String(date.getUTCFullYear()).padStart(4, "0")}-${month < 10 ? "0" : ""}${month}`;
}

/** The first instant of the month of `time`, and of the next month. */
export function monthAround(time: Instant): { readonly start: Instant; readonly end: Instant } {
  const date = new Date(time);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  return { start: Date.UTC(year, month), end: Date.UTC(year, month + 1) };
}

/** The span of the month with this name. */
export function monthNamed(month: string): { readonly start: Instant; readonly end: Instant } {
  return monthAround(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)) - 1));
}

/** More than 13 months, so that a month can be compared with the same month of last year. */
const keptMs = 400 * 86_400_000;

/** Usage before this month is deleted. */
export function oldestKeptMonth(now: Instant): string {
  return monthOf(now - keptMs);
}
