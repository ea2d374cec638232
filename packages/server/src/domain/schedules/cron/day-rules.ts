import { dayNumber, daysInMonth, weekdayOf } from "../../calendar.ts";

/** Which days of a month an expression means, by its fields for day and weekday. */
export interface DayRules {
  /** Null: any day. */
  readonly monthDays: MonthDays | null;
  /** Null: any weekday. */
  readonly weekdays: Weekdays | null;
  /** Whether a day must fit both fields, rather than one of them. */
  readonly needsBoth: boolean;
}

export interface MonthDays {
  readonly days: ReadonlySet<number>;
  /** `L` */
  readonly isLastDay: boolean;
  /** `LW` */
  readonly isLastWorkday: boolean;
  /** `15W`: the workday of the same month that is nearest to the day. */
  readonly nearWorkdays: ReadonlySet<number>;
}

/** 0 is Sunday. */
export interface Weekdays {
  readonly all: ReadonlySet<number>;
  /** `FRIL` */
  readonly last: ReadonlySet<number>;
  /** `FRI#2` */
  readonly nth: readonly { readonly weekday: number; readonly n: number }[];
}

/** The days of one month as bits: the lowest is the first day. */
export type DaysOfMonth = number;

export function daysOf({ monthDays, weekdays, needsBoth }: DayRules, year: number, month: number) {
  const length = daysInMonth(year, month);
  const first = weekdayOf(dayNumber(year, month, 1));
  const every: DaysOfMonth = 2 ** length - 1;
  const byDay = monthDays === null ? every : byMonthDay(monthDays, length, first);
  const byWeekday = weekdays === null ? every : byWeekdayOf(weekdays, length, first);
  const fitBoth = needsBoth || monthDays === null || weekdays === null;
  return (fitBoth ? byDay & byWeekday : byDay | byWeekday) & every;
}

/** The first of the days that is not before this one; 0 if there is none. */
export function nextDay(days: DaysOfMonth, from: number): number {
  if (from > 31) return 0;
  const rest = (days >>> (from - 1)) << (from - 1);
  return rest === 0 ? 0 : 32 - Math.clz32(rest & -rest);
}

function byMonthDay(rules: MonthDays, length: number, first: number): DaysOfMonth {
  let days = 0;
  for (const day of rules.days) days |= bit(day);
  if (rules.isLastDay) days |= bit(length);
  if (rules.isLastWorkday) days |= bit(nearWorkday(length, length, first));
  for (const day of rules.nearWorkdays) {
    if (day <= length) days |= bit(nearWorkday(day, length, first));
  }
  return days;
}

function byWeekdayOf(rules: Weekdays, length: number, first: number): DaysOfMonth {
  let days = 0;
  for (let day = 1; day <= length; day++) {
    if (rules.all.has((first + day - 1) % 7)) days |= bit(day);
  }
  const firstOn = (weekday: number): number => ((weekday - first + 7) % 7) + 1;
  for (const weekday of rules.last) {
    const day = firstOn(weekday);
    days |= bit(day + Math.floor((length - day) / 7) * 7);
  }
  for (const { weekday, n } of rules.nth) {
    const day = firstOn(weekday) + (n - 1) * 7;
    if (day <= length) days |= bit(day);
  }
  return days;
}

/** It stays in the month, so the nearest one may be two days away. */
function nearWorkday(day: number, length: number, first: number): number {
  const weekday = (first + day - 1) % 7;
  if (weekday === 6) return day === 1 ? 3 : day - 1;
  if (weekday === 0) return day === length ? day - 2 : day + 1;
  return day;
}

function bit(day: number): DaysOfMonth {
  return 1 << (day - 1);
}
