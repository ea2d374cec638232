import fc from "fast-check";

/** A field as text, and whether it has a value: said a second time, without the parser. */
interface GivenField {
  readonly text: string;
  readonly has: (value: number) => boolean;
}

interface GivenDays {
  readonly text: string;
  readonly has: (date: Date) => boolean;
}

/** An expression, and the oracle's way to tell what it names. */
export interface GivenCron {
  readonly text: string;
  readonly isFixed: boolean;
  readonly seconds: readonly number[];
  /** Whether the minute is named that clocks in UTC would show at this date. */
  readonly names: (minute: Date) => boolean;
}

const weekdayNames = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

function clockField(most: number, usual: readonly number[]): fc.Arbitrary<GivenField> {
  const value = fc.oneof(fc.constantFrom(...usual), fc.nat(most));
  const one = value.map((only) => ({ text: String(only), has: (each: number) => each === only }));
  const list = fc.uniqueArray(value, { minLength: 2, maxLength: 4 }).map((values) => ({
    text: values.join(","),
    has: (each: number) => values.includes(each),
  }));
  const any = fc.constant({ text: "*", has: () => true });
  const stepped = fc
    .integer({ min: 1, max: most })
    .map((step) => ({ text: `*/${step}`, has: (each: number) => each % step === 0 }));
  const range = fc.tuple(value, value, fc.integer({ min: 1, max: 7 })).map(([a, b, step]) => {
    const [low, high] = [Math.min(a, b), Math.max(a, b)];
    return {
      text: `${low}-${high}${step === 1 ? "" : `/${step}`}`,
      has: (each: number) => each >= low && each <= high && (each - low) % step === 0,
    };
  });
  return fc.oneof(
    { weight: 4, arbitrary: one },
    { weight: 3, arbitrary: list },
    any,
    stepped,
    range,
  );
}

function lastDayOf(date: Date): number {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
}

/** The workdays of the month, and the one nearest to the day, the earlier one if two are. */
function nearestWorkday(date: Date, day: number): number | undefined {
  const last = lastDayOf(date);
  if (day > last) return undefined;
  const workdays = Array.from({ length: last }, (_, index) => index + 1).filter((each) => {
    const on = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), each));
    return on.getUTCDay() % 6 !== 0;
  });
  return workdays.toSorted((a, b) => Math.abs(a - day) - Math.abs(b - day) || a - b)[0];
}

const anyDay: fc.Arbitrary<GivenDays> = fc.constantFrom("*", "?").map((text) => ({
  text,
  has: () => true,
}));
const monthDay = fc.integer({ min: 1, max: 31 });
const someMonthDays: fc.Arbitrary<GivenDays> = fc.oneof(
  fc.uniqueArray(monthDay, { minLength: 1, maxLength: 5 }).map((days) => ({
    text: days.join(","),
    has: (date: Date) => days.includes(date.getUTCDate()),
  })),
  fc.tuple(monthDay, fc.constant("L")).map(([day, last]) => ({
    text: `${day},${last}`,
    has: (date: Date) => date.getUTCDate() === day || date.getUTCDate() === lastDayOf(date),
  })),
  monthDay.map((day) => ({
    text: `${day}W`,
    has: (date: Date) => date.getUTCDate() === nearestWorkday(date, day),
  })),
  fc.constant({
    text: "LW",
    has: (date: Date) => date.getUTCDate() === nearestWorkday(date, lastDayOf(date)),
  }),
  fc.constant({ text: "1-31/2", has: (date: Date) => date.getUTCDate() % 2 === 1 }),
);

const weekday = fc.nat(6);
const someWeekdays: fc.Arbitrary<GivenDays> = fc.oneof(
  weekday.map((day) => ({
    text: weekdayNames[day]!,
    has: (date: Date) => date.getUTCDay() === day,
  })),
  fc.constant({ text: "FRI-SUN", has: (date: Date) => [5, 6, 0].includes(date.getUTCDay()) }),
  fc.constant({ text: "7,2", has: (date: Date) => [0, 2].includes(date.getUTCDay()) }),
  fc.tuple(weekday, fc.integer({ min: 1, max: 5 })).map(([day, n]) => ({
    text: `${weekdayNames[day]}#${n}`,
    has: (date: Date) => date.getUTCDay() === day && Math.ceil(date.getUTCDate() / 7) === n,
  })),
  weekday.map((day) => ({
    text: `${day}L`,
    has: (date: Date) => date.getUTCDay() === day && date.getUTCDate() > lastDayOf(date) - 7,
  })),
);

const dayFields: fc.Arbitrary<{ day: string; weekday: string; has: GivenDays["has"] }> = fc.oneof(
  fc.tuple(anyDay, anyDay).map(([a, b]) => ({ day: a.text, weekday: b.text, has: () => true })),
  fc.tuple(someMonthDays, anyDay).map(([a, b]) => ({ day: a.text, weekday: b.text, has: a.has })),
  fc.tuple(anyDay, someWeekdays).map(([a, b]) => ({ day: a.text, weekday: b.text, has: b.has })),
  fc.tuple(someMonthDays, someWeekdays, fc.boolean()).map(([a, b, both]) => ({
    day: a.text,
    weekday: `${both ? "+" : ""}${b.text}`,
    has: (date: Date) => (both ? a.has(date) && b.has(date) : a.has(date) || b.has(date)),
  })),
);

const months: fc.Arbitrary<GivenField> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ text: "*", has: () => true }) },
  fc.constant({ text: "MAR-APR,10-11", has: (month: number) => [3, 4, 10, 11].includes(month) }),
  fc.constant({ text: "*/2", has: (month: number) => month % 2 === 1 }),
);

const fields = fc.record({
  second: fc.option(clockField(59, [0, 30])),
  minute: clockField(59, [0, 1, 15, 30, 59]),
  hour: clockField(23, [0, 1, 2, 3, 23]),
  days: dayFields,
  month: months,
});

/** Expressions that like the hours in which clocks change. */
export const givenCrons: fc.Arbitrary<GivenCron> = fields.map(
  ({ second, minute, hour, days, month }) => {
    const clock = [...(second === null ? [] : [second.text]), minute.text, hour.text];
    return {
      text: [...clock, days.day, month.text, days.weekday].join(" "),
      isFixed: !/[*/-]/.test(clock.join()),
      seconds: Array.from({ length: 60 }, (_, value) => value).filter((value) =>
        second === null ? value === 0 : second.has(value),
      ),
      names: (date) =>
        minute.has(date.getUTCMinutes()) &&
        hour.has(date.getUTCHours()) &&
        month.has(date.getUTCMonth() + 1) &&
        days.has(date),
    };
  },
);
