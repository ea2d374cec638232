import { check } from "../input-error.ts";
import { isoTime, jsonOf } from "../transport/api-request.ts";
import type { Delay, MessageInput, NewTime, When } from "./message-input.ts";

const unitsMs: Readonly<Record<string, number>> = {
  days: 86_400_000,
  hours: 3_600_000,
  minutes: 60_000,
  seconds: 1_000,
  milliseconds: 1,
};

interface WireTime {
  readonly at: undefined;
  readonly in: undefined;
  readonly deliveryTime: string | undefined;
  readonly delayMs: number | undefined;
}

/** A message as it travels, and its idempotency key if it has one. */
export function readMessage(input: MessageInput) {
  const { json, payload, idempotencyKey, ...others } = Object(input) as MessageInput;
  const text = payload ?? jsonOf(json);
  const isOne = payload === undefined || json === undefined;
  check(
    isOne && typeof text === "string",
    "Give either payload, a string, or json, a value that JSON has.",
  );
  const time = others.debounce === undefined ? readTime(others) : noTime(others);
  // The server checks the rest, and names fields that it does not know.
  return { body: jsonOf({ ...others, ...time, payload: text })!, idempotencyKey };
}

/** A debounced message has no time of its own. */
function noTime({ at, in: delay, deliveryTime, delayMs }: Partial<When>): Partial<WireTime> {
  check(
    [at, delay, deliveryTime, delayMs].every((each) => each === undefined),
    "debounce sets the time: leave out at, in, deliveryTime and delayMs.",
  );
  return {};
}

export function readWhen(when: Date | string | NewTime): WireTime {
  if (typeof when !== "object" || when instanceof Date) return readTime({ at: when });
  return { ...when, ...readTime(Object(when) as NewTime) };
}

function readTime({ at, in: delay, deliveryTime, delayMs }: When): WireTime {
  const given = [at, delay, deliveryTime, delayMs].filter((each) => each !== undefined);
  const isTime = at === undefined || typeof at === "string" || at instanceof Date;
  check(
    isTime && given.length === 1,
    "Say when with exactly one of at (a Date, or like 2030-01-01T09:00:00Z), in (such as 5000), deliveryTime, delayMs.",
  );
  return {
    // What is undefined does not travel.
    at: undefined,
    in: undefined,
    deliveryTime: at instanceof Date ? isoTime(at, "at") : (at ?? deliveryTime),
    delayMs: delay === undefined ? delayMs : milliseconds(delay),
  };
}

function milliseconds(delay: Delay): number {
  const parts = typeof delay === "number" ? { milliseconds: delay } : (Object(delay) as object);
  const given = Object.entries(parts).filter(([, count]) => count !== undefined);
  // An unknown unit, or what is no number, makes it NaN.
  const sum = given.reduce(
    (sum, [unit, count]) => sum + (typeof count === "number" ? count * unitsMs[unit]! : Number.NaN),
    0,
  );
  const units = Object.keys(unitsMs).join(", ");
  check(
    // No unit at all does not mean now.
    given.length > 0 && sum >= 0 && sum < Infinity,
    `in must be milliseconds, or an object of ${units}; from 0 on.`,
  );
  return Math.round(sum);
}
