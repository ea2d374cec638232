import { InvalidValue } from "../../../config/invalid-value.ts";
import { dayMs, weekdayOf } from "../../../domain/calendar.ts";
import type { WallTime } from "../../../domain/time-zones/wall-time.ts";
import { formatTime, parseTime } from "../../../domain/times.ts";

const weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const daysAround = ["yesterday", "today", "tomorrow"];

/** A time on the wall, as a person writes it: a time of day, and which day it is on. */
export interface WallTimeWords {
  /** The words name no day. */
  readonly isTimeAlone: boolean;
  /**
   * The wall times that are meant, the earliest first: one, or one in each week or day around today if
   * the words name no date.
   */
  near(today: WallTime): readonly WallTime[];
}

const time = /noon|midnight|\d{1,2}(?::\d{2}(?::\d{2}(?:\.\d{1,9})?)?)?(?: ?[ap]m)?/.source;
const dayWords = [...daysAround, ...weekdays, ...weekdays.map((name) => name.slice(0, 3))];
const day = `\\d{4}-\\d{2}-\\d{2}|${dayWords.join("|")}`;
const dayAlone = new RegExp(`^(?:${day})$`);
const timeAlone = new RegExp(`^(?:at )?(?<time>${time})$`);
const dayFirst = new RegExp(`^(?:on )?(?<day>${day})(?: at | |(?<=\\d)t)(?<time>${time})$`);
const timeFirst = new RegExp(`^(?:at )?(?<time>${time})(?: on)? (?<day>${day})$`);

/**
 * Reads lower-case text with single spaces. Undefined if it is nothing of this kind. Throws
 * `InvalidValue` for a day or time that does not exist.
 */
export function readWallTime(text: string): WallTimeWords | undefined {
  const inOrder = dayFirst.exec(text)?.groups;
  const said = inOrder ?? (timeAlone.exec(text) ?? timeFirst.exec(text))?.groups;
  // A number may be meant as anything, unless a day stands before it.
  if (said === undefined || (inOrder === undefined && isNumber(said["time"]!))) return undefined;
  const { day: date, time: timeOfDay = "" } = said;
  const clock = clockOf(timeOfDay, date);
  const on = (isoDate: string): WallTime => existing(`${isoDate}t${clock}z`, text);
  const inDays = (today: WallTime, days: number): WallTime =>
    on(formatTime(today + days * dayMs).slice(0, 10));

  const isTimeAlone = date === undefined;
  if (isTimeAlone) {
    return { isTimeAlone, near: (today) => [-1, 0, 1].map((days) => inDays(today, days)) };
  }
  if (/^\d/.test(date)) return { isTimeAlone, near: () => [on(date)] };
  const days = daysAround.indexOf(date) - 1;
  if (days > -2) return { isTimeAlone, near: (today) => [inDays(today, days)] };
  const weekday = weekdays.findIndex((name) => name.startsWith(date));
  return {
    isTimeAlone,
    near(today) {
      const ahead = weekday - weekdayOf(Math.floor(today / dayMs));
      return [-7, 0, 7].map((week) => inDays(today, ahead + week));
    },
  };
}

/** Whether the text names a day, and no time of day. */
export function isDayAlone(text: string): boolean {
  return dayAlone.test(text);
}

function isNumber(text: string): boolean {
  return /^\d+$/.test(text);
}

/** `9 pm` as `21:00:00`. */
function clockOf(timeOfDay: string, date: string | undefined): string {
  if (timeOfDay === "noon") return "12:00:00";
  if (timeOfDay === "midnight") return midnight(date);
  const [, clock = "", half] = /^([\d:.]+) ?([ap]m)?$/.exec(timeOfDay) ?? [];
  const [hour = "", minute = "00", second = "00"] = clock.split(":");
  return `${hourOf(hour, half)}:${minute}:${second}`;
}

/** Some say it of the beginning of a day, others of its end. */
function midnight(date: string | undefined): string {
  if (date === undefined) return "00:00:00";
  throw new InvalidValue(
    `is not clear, because ${date} begins and ends at midnight; write "${date} 0:00" or "${date} 23:59"`,
  );
}

function hourOf(hour: string, half: string | undefined): string {
  if (half === undefined) return hour.padStart(2, "0");
  const number = Number(hour);
  if (number < 1 || number > 12) {
    throw new InvalidValue(
      `is not a time: with am or pm the hour is 1 to 12, not ${number}; write it like 9am or 21:00`,
    );
  }
  return String((number % 12) + (half === "pm" ? 12 : 0)).padStart(2, "0");
}

function existing(isoText: string, given: string): WallTime {
  const parsed = parseTime(isoText);
  if (parsed.ok) return parsed.time;
  const advice = 'write it like 17:30, "tomorrow 9:00" or "2027-01-01 9:00"';
  throw new InvalidValue(`is not a time: ${parsed.reason}: "${given}"; ${advice}`);
}
