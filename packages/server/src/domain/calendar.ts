export const dayMs = 86_400_000;

/** Month and day count from 1. */
export interface CalendarDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

const daysBeforeMonth = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
/** Since 0000-03-01. */
const daysBefore1970 = 719_468;
const daysIn100Years = 36_524;
const daysIn400Years = 146_097;

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

export function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Days since 1970-01-01. `Date.UTC` would read the years below 100 as 19xx. */
export function dayNumber(year: number, month: number, day: number): number {
  const before = year - 1;
  const leapDays = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400);
  const thisLeapDay = month > 2 && isLeapYear(year) ? 1 : 0;
  return before * 365 + leapDays + daysBeforeMonth[month - 1]! + thisLeapDay + day - 719_163;
}

/**
 * Counts years from March, so that a leap day is the last day of its year, and spans of 400 years,
 * after which the calendar repeats itself.
 */
export function dateOf(daysSince1970: number): CalendarDate {
  const days = daysSince1970 + daysBefore1970;
  const span = Math.floor(days / daysIn400Years);
  const dayOfSpan = days - span * daysIn400Years;
  const leapDays =
    Math.floor(dayOfSpan / (4 * 365)) -
    Math.floor(dayOfSpan / daysIn100Years) +
    Math.floor(dayOfSpan / (daysIn400Years - 1));
  const yearOfSpan = Math.floor((dayOfSpan - leapDays) / 365);
  const dayOfYear =
    dayOfSpan - (365 * yearOfSpan + Math.floor(yearOfSpan / 4) - Math.floor(yearOfSpan / 100));
  // From March on, every five months have 153 days.
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return { year: yearOfSpan + span * 400 + (month <= 2 ? 1 : 0), month, day };
}

/** 0 is Sunday. */
export function weekdayOf(daysSince1970: number): number {
  // 1 January 1970 was a Thursday.
  return (((daysSince1970 + 4) % 7) + 7) % 7;
}
