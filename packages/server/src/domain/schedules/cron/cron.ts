import type { DayRules } from "./day-rules.ts";

/** At each place the least value that is not below it, or -1 if there is none. */
export type NextValues = readonly number[];

/** An expression that was read. */
export interface Cron {
  readonly seconds: NextValues;
  readonly minutes: NextValues;
  readonly hours: NextValues;
  /** Counted from 1. */
  readonly months: ReadonlySet<number>;
  readonly days: DayRules;
  /**
   * Whether it names times of day one by one. Such a time comes once a day, whatever clocks do. Any other
   * expression follows the clocks: what they skip does not come, and what they show twice comes twice.
   */
  readonly isFixed: boolean;
}

export function nextValues(values: ReadonlySet<number>, most: number): NextValues {
  const next: number[] = [];
  for (let value = most, found = -1; value >= 0; value--) {
    if (values.has(value)) found = value;
    next[value] = found;
  }
  return next;
}
