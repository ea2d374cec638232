import type { Occurrence } from "@postdate/client";

export interface Day {
  /** `2026-11-18`, on the clocks of the schedule. */
  readonly date: string;
  readonly runs: number;
  /** Clocks skip or repeat the time of a run on this day. */
  readonly isOdd: boolean;
}

export interface Month {
  /** `2026-11`. */
  readonly month: string;
  /** How many places of the first week come before the first day. Weeks begin on Monday. */
  readonly before: number;
  readonly days: readonly Day[];
}

const dayMs = 86_400_000;

/** The days of a year from a date on, in months, each with its runs. */
export function yearOfDays(from: string, occurrences: readonly Occurrence[]): Month[] {
  const found = new Map<string, { runs: number; isOdd: boolean }>();
  for (const { localTime, mark } of occurrences) {
    const date = localTime.slice(0, 10);
    const { runs, isOdd } = found.get(date) ?? { runs: 0, isOdd: false };
    found.set(date, { runs: runs + 1, isOdd: isOdd || mark !== null });
  }
  const beginning = Date.parse(`${from}T00:00:00Z`);
  const days = Array.from({ length: 365 }, (_, index): Day => {
    const date = new Date(beginning + index * dayMs).toISOString().slice(0, 10);
    return { date, ...(found.get(date) ?? { runs: 0, isOdd: false }) };
  });
  return [...Map.groupBy(days, ({ date }) => date.slice(0, 7))].map(([month, inMonth]) => ({
    month,
    before: (new Date(`${inMonth[0]!.date}T00:00:00Z`).getUTCDay() + 6) % 7,
    days: inMonth,
  }));
}
