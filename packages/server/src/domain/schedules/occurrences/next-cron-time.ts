import { dateOf, dayMs, dayNumber } from "../../calendar.ts";
import type { WallTime } from "../../time-zones/wall-time.ts";
import type { Effort } from "./effort.ts";
import type { Exceptions } from "./exceptions.ts";
import type { Cron } from "../cron/cron.ts";
import { daysOf, nextDay } from "../cron/day-rules.ts";

export interface CronSearch {
  readonly cron: Cron;
  /** Its days are left out. Its single times are not. */
  readonly exceptions: Exceptions;
  /** The last wall time of interest. */
  readonly until: WallTime;
  readonly effort: Effort;
}

const daySeconds = 86_400;

/** The first wall time, from this one on, that the expression names. It knows no zones. */
export function nextCronTime(search: CronSearch, from: WallTime): WallTime | undefined {
  const { cron, exceptions, until, effort } = search;
  const second = Math.ceil(from / 1_000);
  let firstDay = Math.floor(second / daySeconds);
  let timeOfDay = nextTimeOfDay(cron, second - firstDay * daySeconds);
  const dayBegins = nextTimeOfDay(cron, 0)!;
  if (timeOfDay === undefined) {
    firstDay++;
    timeOfDay = dayBegins;
  }
  let { year, month, day } = dateOf(firstDay);
  while (effort.spend()) {
    const monthBegins = dayNumber(year, month, 1);
    if (monthBegins * dayMs > until) return undefined;
    const days = cron.months.has(month) ? daysOf(cron.days, year, month) : 0;
    for (day = nextDay(days, day); day > 0; day = nextDay(days, day + 1)) {
      const number = monthBegins + day - 1;
      if (exceptions.hasDay(number)) continue;
      const found = number * daySeconds + (number === firstDay ? timeOfDay : dayBegins);
      return found * 1_000 > until ? undefined : found * 1_000;
    }
    day = 1;
    month = month === 12 ? 1 : month + 1;
    if (month === 1) year++;
  }
  return undefined;
}

/** The first second of a day, from this one on, that the expression names. */
function nextTimeOfDay({ hours, minutes, seconds }: Cron, from: number): number | undefined {
  const fromHour = Math.floor(from / 3_600);
  const fromMinute = Math.floor(from / 60) % 60;
  const firstMinute = minutes[0]! * 60 + seconds[0]!;
  if (hours[fromHour] === fromHour) {
    if (minutes[fromMinute] === fromMinute) {
      const second = seconds[from % 60]!;
      if (second >= 0) return from - (from % 60) + second;
    }
    const minute = fromMinute === 59 ? -1 : minutes[fromMinute + 1]!;
    if (minute >= 0) return fromHour * 3_600 + minute * 60 + seconds[0]!;
  }
  const hour = fromHour === 23 ? -1 : hours[fromHour + 1]!;
  return hour >= 0 ? hour * 3_600 + firstMinute : undefined;
}
