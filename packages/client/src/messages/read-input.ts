import { InputError } from "../input-error.ts";
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
  const { json, payload, idempotencyKey, ...others } = objectOf(input, "A message");
  const text = payload ?? jsonOf(json, "json");
  if (typeof text !== "string" || (payload !== undefined && json !== undefined)) {
    throw new InputError("Give either payload, a string, or json, a value that JSON has.");
  }
  const time = others.debounce === undefined ? readTime(others) : {};
  // The server checks the rest, and names fields that it does not know.
  return { body: jsonOf({ ...others, ...time, payload: text })!, idempotencyKey };
}

export function readWhen(when: Date | string | NewTime): WireTime {
  if (!isObject(when) || when instanceof Date) return readTime({ at: when });
  return { ...when, ...readTime(when) };
}

export function objectOf<Value extends object>(value: Value, name: string): Value {
  if (isObject(value)) return value;
  throw new InputError(`${name} must be an object.`);
}

function readTime({ at, in: delay, deliveryTime, delayMs }: When): WireTime {
  const given = [at, delay, deliveryTime, delayMs].filter((each) => each !== undefined);
  if (given.length !== 1) {
    throw new InputError("Say when with exactly one of at, in, deliveryTime, delayMs.");
  }
  if (at !== undefined && typeof at !== "string" && !(at instanceof Date)) {
    throw new InputError(
      "A time must be a Date or like 2030-01-01T09:00:00Z; a delay, { in: 5000 }.",
    );
  }
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
  // No unit at all does not mean now.
  if (given.length > 0 && sum >= 0 && sum < Infinity) return Math.round(sum);
  const units = Object.keys(unitsMs).join(", ");
  throw new InputError(`in must be milliseconds, or an object of ${units}; from 0 on.`);
}

export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
