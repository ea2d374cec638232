import type { Forecast } from "@postdate/client";
import { dateTime, zoneMark, type Zone } from "../../time/time-text.ts";

export interface HourOfDay {
  /** When the first bucket of the cell begins, in milliseconds, and when the last ends. */
  readonly from: number;
  readonly until: number;
  readonly messages: number;
  /** Runs to come of recurring schedules, which have no message yet. */
  readonly runs: number;
  readonly label: string;
}

export interface DayOfHours {
  /** `2026-11-18`, in the zone of the reader. */
  readonly date: string;
  /** 24 places; undefined where the day has no such hour, or the forecast does not reach. */
  readonly hours: readonly (HourOfDay | undefined)[];
}

const hourMs = 3_600_000;

/**
 * Hours by the day and the clock of a zone. An hour that clocks show twice is one cell with both. In a zone that is half
 * an hour apart, a cell begins at half past.
 */
export function daysOfHours(items: Forecast["items"], zone: Zone): DayOfHours[] {
  const days = new Map<string, (HourOfDay | undefined)[]>();
  for (const { time, messages, runs } of items) {
    const local = dateTime(time, zone);
    const date = local.slice(0, 10);
    const hour = Number(local.slice(11, 13));
    const hours = days.get(date) ?? Array.from<undefined>({ length: 24 });
    const from = Date.parse(time);
    const before = hours[hour];
    hours[hour] = {
      from: before?.from ?? from,
      until: from + hourMs,
      messages: (before?.messages ?? 0) + messages,
      runs: (before?.runs ?? 0) + runs,
      label: before?.label ?? `${local.slice(0, 16)} ${zoneMark(time, zone)}`,
    };
    days.set(date, hours);
  }
  return [...days].map(([date, hours]) => ({ date, hours }));
}
