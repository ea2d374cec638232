const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const months = [
  ...["January", "February", "March", "April", "May", "June", "July", "August", "September"],
  ...["October", "November", "December"],
];
const ordinals = ["first", "second", "third", "fourth", "fifth"];
const macros: Readonly<Record<string, string>> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
};
/** More times than this are told by their hours and minutes. */
const mostTimes = 6;

interface Fields {
  readonly second: string;
  readonly minute: string;
  readonly hour: string;
  readonly day: string;
  readonly month: string;
  readonly weekday: string;
}

/** `0 9 * * MON-FRI` as "at 09:00, from Monday to Friday". What it does not know stays as it is: the server decides. */
export function cronWords(expression: string): string {
  const text = macros[expression.trim().toLowerCase()] ?? expression.trim();
  const given = text.toUpperCase().split(/\s+/);
  if (given.length !== 5 && given.length !== 6) return expression;
  const [second, minute, hour, day, month, weekday] = (
    given.length === 5 ? ["0", ...given] : given
  ) as [string, string, string, string, string, string];
  const fields: Fields = { second, minute, hour, day, month, weekday };
  const parts = [timeWords(fields), dayWords(fields), monthWords(month)];
  return parts.some((part) => part === undefined) ? expression : parts.filter(Boolean).join(", ");
}

function timeWords({ second, minute, hour }: Fields): string | undefined {
  const [seconds, minutes, hours] = [numbersOf(second), numbersOf(minute), numbersOf(hour)];
  if (seconds && minutes && hours) {
    const times = hours.flatMap((h) => minutes.flatMap((m) => seconds.map((s) => clock(h, m, s))));
    if (times.length <= mostTimes) return `at ${list(times)}`;
  }
  if (second !== "0") {
    const of =
      minute === "*" && hour === "*" ? "" : ` while ${timeWords({ ...zeroed, minute, hour })}`;
    if (second === "*") return `every second${of}`;
    const each = valuesWords(second, "second", digits);
    return each && each + of;
  }
  if (minute === "*" && hour === "*") return "every minute";
  const every = /^\*\/(\d+)$/.exec(minute)?.[1];
  const perMinute = minute === "*" ? "every minute" : every && `every ${every} minutes`;
  if (hour === "*") {
    return perMinute ?? (minute === "0" ? "every hour" : within(minute, "of every hour"));
  }
  const perHour = /^\*\/(\d+)$/.exec(hour)?.[1];
  const when = perHour === undefined ? hoursWords(hour) : `every ${perHour} hours from 00:00`;
  if (when === undefined) return undefined;
  if (minute === "0" && perHour !== undefined) return when;
  return perMinute === undefined ? within(minute, when) : `${perMinute}, ${when}`;
}

const zeroed = { second: "0", day: "*", month: "*", weekday: "*" };

function within(minute: string, when: string): string | undefined {
  const words = valuesWords(minute, "minute", digits);
  return words && `at ${words} ${when}`;
}

function hoursWords(hour: string): string | undefined {
  const words = valuesWords(hour, "", (value) => clock(Number(value), 0, 0));
  return words && `in the hours ${words.trim()}`;
}

function dayWords(fields: Fields): string | undefined {
  const { day, weekday } = fields;
  const anyDay = day === "*" || day === "?";
  const anyWeekday = weekday === "*" || weekday === "?";
  if (anyDay && anyWeekday) return isDaily(fields) ? "every day" : "";
  const days = anyDay ? "" : daysOfMonth(day);
  const both = weekday.startsWith("+");
  const onWeekdays = anyWeekday ? "" : daysOfWeek(weekday.replace("+", ""));
  if (days === undefined || onWeekdays === undefined) return undefined;
  if (anyWeekday) return days;
  if (anyDay) return onWeekdays;
  return both ? `${days} if that is ${onWeekdays.replace(/^on /, "")}` : `${days} or ${onWeekdays}`;
}

function isDaily({ minute, hour }: Fields): boolean {
  return numbersOf(hour) !== undefined && numbersOf(minute) !== undefined;
}

function daysOfMonth(day: string): string | undefined {
  const words = day.split(",").map((item) => {
    if (item === "L") return "the last day";
    if (item === "LW") return "the last workday";
    const [, nearest] = /^(\d+)W$/.exec(item) ?? [];
    if (nearest !== undefined) return `the workday nearest to day ${nearest}`;
    return valuesWords(item, "day", digits);
  });
  return known(words) ? `on ${list(words as string[])} of the month` : undefined;
}

function daysOfWeek(weekday: string): string | undefined {
  const words = weekday.split(",").map((item) => {
    const [, name, nth] = /^(\w+)#(\d)$/.exec(item) ?? [];
    if (nth !== undefined) {
      const day = weekdayName(name!);
      return day && ordinals[Number(nth) - 1] && `the ${ordinals[Number(nth) - 1]} ${day}`;
    }
    const [, lastName] = /^(\w+)L$/.exec(item) ?? [];
    const lastDay = lastName === undefined ? undefined : weekdayName(lastName);
    if (lastDay !== undefined) return `the last ${lastDay}`;
    return valuesWords(item, "", weekdayName);
  });
  if (!known(words)) return undefined;
  const ofMonth = /[#L]/.test(weekday) ? " of the month" : "";
  return `on ${list(words as string[])}${ofMonth}`.replace(/^on from/, "from");
}

function monthWords(month: string): string | undefined {
  if (month === "*") return "";
  const words = month.split(",").map((item) => valuesWords(item, "", monthName));
  return known(words) ? `in ${list(words as string[])}`.replace(/^in from/, "from") : undefined;
}

function known(words: readonly (string | undefined)[]): boolean {
  return words.every((word) => word !== undefined && word !== "");
}

/** `1-5`, `*\/2` or `3` of a field; several with commas. */
function valuesWords(
  field: string,
  unit: string,
  nameOf: (value: string) => string | undefined,
): string | undefined {
  const items = field.split(",").map((item) => itemWords(item, unit, nameOf));
  if (!known(items)) return undefined;
  const plain = numbersOf(field) !== undefined && unit !== "";
  const names = plain ? items.map((item) => item!.replace(`${unit} `, "")) : (items as string[]);
  return plain && items.length > 1 ? `${unit}s ${list(names)}` : list(items as string[]);
}

function itemWords(
  item: string,
  unit: string,
  nameOf: (value: string) => string | undefined,
): string | undefined {
  const [, from, to, step] = /^(\*|\w+)(?:-(\w+))?(?:\/(\d+))?$/.exec(item) ?? [];
  if (from === undefined) return undefined;
  const each = step === undefined || step === "1" ? "" : `every ${step} ${unit || "step"}s`;
  if (from === "*") return each || undefined;
  const [first, last] = [nameOf(from), to === undefined ? undefined : nameOf(to)];
  if (first === undefined || (to !== undefined && last === undefined)) return undefined;
  if (to === undefined) return unit === "" ? first : `${unit} ${first}`;
  const range = unit === "" ? `from ${first} to ${last}` : `${unit}s ${first} to ${last}`;
  return each === "" ? range : `${each} ${range}`;
}

function numbersOf(field: string): number[] | undefined {
  return /^\d+(?:,\d+)*$/.test(field) ? field.split(",").map(Number) : undefined;
}

function digits(text: string): string | undefined {
  return /^\d+$/.test(text) ? text : undefined;
}

function weekdayName(text: string): string | undefined {
  if (/^[0-7]$/.test(text)) return weekdays[Number(text) % 7];
  return text.length === 3
    ? weekdays.find((name) => name.toUpperCase().startsWith(text))
    : undefined;
}

function monthName(text: string): string | undefined {
  if (/^\d+$/.test(text)) return months[Number(text) - 1];
  return text.length === 3 ? months.find((name) => name.toUpperCase().startsWith(text)) : undefined;
}

function clock(hour: number, minute: number, second: number): string {
  const parts = second === 0 ? [hour, minute] : [hour, minute, second];
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}

/** `a, b and c`. */
function list(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
