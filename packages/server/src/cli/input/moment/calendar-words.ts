import { InvalidValue } from "../../../config/invalid-value.ts";
import { formatTime, parseTime } from "../../../domain/times.ts";
import type { WallTime } from "./wall-time.ts";

const weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const dayMs = 86_400_000;

/** A time on the wall, as a person writes it: a time of day, and which day it is on. */
export interface WallTimeWords {
  /**
   * The wall times that are meant, the earliest first: one, or one in each week or day around today if
   * the words name no date.
   */
  near(today: WallTime): readonly WallTime[];
}

const timeOfDay = /(\d{1,2})(?::(\d{2}))?(?::(\d{2})(\.\d{1,9})?)?\s*([ap]m)?/.source;
const day = /\d{4}-\d{2}-\d{2}|[a-z]+/.source;
const wording = new RegExp(`^(?:(${day})(?:\\s+at\\s+|\\s+|(?<=\\d)t))?${timeOfDay}$`);

/** Undefined if the text is nothing of this kind. Throws `InvalidValue` for a day or time that does not exist. */
export function readWallTime(text: string): WallTimeWords | undefined {
  const [, date, hour, minute, second = "00", fraction = "", half] = wording.exec(text) ?? [];
  // A number alone may be meant as anything.
  if (hour === undefined || (minute === undefined && half === undefined)) return undefined;
  const on = (isoDate: string): WallTime =>
    existing(`${isoDate}t${hourOf(hour, half)}:${minute ?? "00"}:${second}${fraction}z`, text);
  const inDays = (today: WallTime, days: number): WallTime =>
    on(formatTime(today + days * dayMs).slice(0, 10));

  if (date === undefined) return { near: (today) => [-1, 0, 1].map((days) => inDays(today, days)) };
  if (/^\d/.test(date)) return { near: () => [on(date)] };
  const days = ["yesterday", "today", "tomorrow"].indexOf(date) - 1;
  if (days > -2) return { near: (today) => [inDays(today, days)] };
  const weekday = weekdays.findIndex((name) => name === date || name.slice(0, 3) === date);
  if (weekday === -1) return undefined;
  return {
    near(today) {
      const ahead = weekday - weekdayOf(today);
      return [-7, 0, 7].map((week) => inDays(today, ahead + week));
    },
  };
}

function hourOf(hour: string, half: string | undefined): string {
  if (half === undefined) return hour.padStart(2, "0");
  const number = Number(hour);
  if (number < 1 || number > 12) {
    throw new InvalidValue(`is not a time: with am or pm the hour is 1 to 12, not ${number}`);
  }
  return String((number % 12) + (half === "pm" ? 12 : 0)).padStart(2, "0");
}

function weekdayOf(wallTime: WallTime): number {
  const days = Math.floor(wallTime / dayMs);
  // 1 January 1970 was a Thursday.
  return (((days + 4) % 7) + 7) % 7;
}

function existing(isoText: string, given: string): WallTime {
  const parsed = parseTime(isoText);
  if (parsed.ok) return parsed.time;
  throw new InvalidValue(`is not a time: ${parsed.reason}: "${given}"`);
}
