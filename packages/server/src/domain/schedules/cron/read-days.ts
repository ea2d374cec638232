import type { DayRules, MonthDays, Weekdays } from "./day-rules.ts";
import { CronFault, fields, pieceOf, splitPiece } from "./fields.ts";
import type { Piece } from "./fields.ts";
import { readValue, readValues } from "./read-values.ts";

/** Reads the fields for day of month and weekday. Throws `CronFault`. */
export function readDays(day: Piece, weekday: Piece): DayRules {
  const needsBoth = weekday.text.startsWith("+");
  return {
    monthDays: readMonthDays(day),
    weekdays: readWeekdays(needsBoth ? pieceOf(weekday, 1) : weekday),
    needsBoth,
  };
}

function isAny({ text }: Piece): boolean {
  return text === "*" || text === "?";
}

function itemsOf(field: Piece): Piece[] {
  const items = splitPiece(field, ",");
  const question = items.find(({ text }) => text === "?");
  if (question !== undefined) throw new CronFault(question, "a ? stands alone: it means any day");
  return items;
}

function readMonthDays(field: Piece): MonthDays | null {
  if (isAny(field)) return null;
  const days = new Set<number>();
  const nearWorkdays = new Set<number>();
  let isLastDay = false;
  let isLastWorkday = false;
  for (const item of itemsOf(field)) {
    const text = item.text.toUpperCase();
    if (text === "L") isLastDay = true;
    else if (text === "LW") isLastWorkday = true;
    else if (/^\d+W$/.test(text)) nearWorkdays.add(readValue(pieceOf(item, 0, -1), fields.day));
    else if (text.includes("W")) {
      throw new CronFault(
        item,
        "W follows one day, as in 15W, or L: LW is the last workday of the month",
      );
    } else if (text.startsWith("L")) {
      throw new CronFault(item, "L stands alone, for the last day of the month, or as LW");
    } else if (text.startsWith("+")) throw bothOf(item);
    else readValues(item, fields.day, days);
  }
  return { days, isLastDay, isLastWorkday, nearWorkdays };
}

function readWeekdays(field: Piece): Weekdays | null {
  if (isAny(field)) return null;
  const all = new Set<number>();
  const last = new Set<number>();
  const nth: { weekday: number; n: number }[] = [];
  for (const item of itemsOf(field)) {
    const [name, number, ...more] = splitPiece(item, "#") as [Piece, ...Piece[]];
    if (more.length > 0) throw new CronFault(more[0]!, "a weekday has one # at most");
    const text = item.text.toUpperCase();
    if (number !== undefined) {
      if (/[-/*]/.test(name.text)) throw new CronFault(name, oneWeekday);
      nth.push({ weekday: readValue(name, fields.weekday) % 7, n: readNth(number) });
    } else if (text === "L") {
      throw new CronFault(item, "L follows a weekday: FRIL is the last Friday of the month");
    } else if (/^[^-/]+L$/.test(text)) {
      last.add(readValue(pieceOf(item, 0, -1), fields.weekday) % 7);
    } else if (text.startsWith("+")) throw bothOf(item);
    else readValues(item, fields.weekday, all);
  }
  return { all, last, nth };
}

const oneWeekday = "# takes one weekday: write each with its own, as in MON#2,TUE#2";

function readNth(number: Piece): number {
  if (/^[1-5]$/.test(number.text)) return Number(number.text);
  throw new CronFault(
    number,
    "a month has a weekday five times at most: write #1 to #5, or L as in FRIL for the last",
  );
}

function bothOf(item: Piece): CronFault {
  return new CronFault(
    item,
    "a + stands once, at the beginning of the weekday field: then both day fields must match",
  );
}
