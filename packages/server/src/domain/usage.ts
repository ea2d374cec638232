import type { Instant } from "./message.ts";

/** What an account has scheduled in one calendar month, in UTC. */
export interface Usage {
  /** Such as `2026-11`. */
  readonly month: string;
  readonly used: number;
  /** Null: as many as it likes. */
  readonly limit: number | null;
}

/** Months sort as their names do. */
export function monthOf(time: Instant): string {
  return new Date(time).toISOString().slice(0, 7);
}

/** The first instant of the month that the time is in, and of the one after it. */
export function monthAround(time: Instant): { readonly start: Instant; readonly end: Instant } {
  const date = new Date(time);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  return { start: Date.UTC(year, month), end: Date.UTC(year, month + 1) };
}

/** The span of a month by its name. */
export function monthNamed(month: string): { readonly start: Instant; readonly end: Instant } {
  return monthAround(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)) - 1));
}

/** Longer than 13 months: last year's month can be laid beside this year's. */
const keptMs = 400 * 86_400_000;

/** What was used before this month is forgotten. */
export function oldestKeptMonth(now: Instant): string {
  return monthOf(now - keptMs);
}
