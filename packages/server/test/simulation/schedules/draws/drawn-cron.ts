import type { MeantCron } from "../oracle/meaning.ts";
import type { SeededRandom } from "../../world/seeded-random.ts";

export interface DrawnCron extends MeantCron {
  readonly text: string;
}

interface Field {
  readonly text: string;
  readonly has: (value: number) => boolean;
}

const any: Field = { text: "*", has: () => true };

function oneOf(values: readonly number[]): Field {
  return { text: values.join(","), has: (value) => values.includes(value) };
}

function each(step: number): Field {
  return { text: `*/${step}`, has: (value) => value % step === 0 };
}

function between(low: number, high: number, step: number): Field {
  return {
    text: `${low}-${high}/${step}`,
    has: (value) => value >= low && value <= high && (value - low) % step === 0,
  };
}

const weekdays = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

/** An expression that is due soon after what clocks show now, most of the time. */
export function drawCron(random: SeededRandom, wallNow: number): DrawnCron {
  const now = new Date(wallNow);
  const hour = now.getUTCHours();
  const hours = [-1, 0, 0, 1, 1, 2, 3].map((later) => (hour + later + 24) % 24);
  const some = (count: number, draw: () => number): number[] =>
    [...new Set(Array.from({ length: count }, draw))].toSorted((a, b) => a - b);
  const someMinutes = (): number[] =>
    some(random.between(1, 4), () => random.pick([0, 0, 15, 30, 59, random.between(0, 59)]));
  const isFixed = random.happens(0.6);
  const hourField = isFixed
    ? oneOf(some(random.between(1, 4), () => random.pick(hours)))
    : random.pick([any, any, each(2), between(0, 23, 3)]);
  const minuteField = isFixed
    ? oneOf(someMinutes())
    : random.pick([each(1), each(5), each(7), each(20), between(3, 50, 9), oneOf(someMinutes())]);
  const secondField = random.happens(0.8)
    ? undefined
    : isFixed
      ? oneOf(some(2, () => random.between(0, 59)))
      : random.pick([each(10), each(20), oneOf([0, 30])]);
  const isAnyDay = random.happens(0.8);
  const days = [0, 1].map((later) => new Date(wallNow + later * 86_400_000).getUTCDay());
  const weekdayField = isAnyDay ? any : oneOf(days);
  const weekdayText = isAnyDay ? "*" : days.map((day) => weekdays[day]).join(",");
  const clock = [secondField, minuteField, hourField].filter((field) => field !== undefined);
  return {
    text: [...clock.map(({ text }) => text), "*", "*", weekdayText].join(" "),
    isFixed: !/[*/-]/.test(clock.map(({ text }) => text).join()),
    seconds: Array.from({ length: 60 }, (_, value) => value).filter((value) =>
      secondField === undefined ? value === 0 : secondField.has(value),
    ),
    names: (minute) =>
      minuteField.has(minute.getUTCMinutes()) &&
      hourField.has(minute.getUTCHours()) &&
      weekdayField.has(minute.getUTCDay()),
  };
}
