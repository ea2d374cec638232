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

type WireTime = { readonly deliveryTime: string } | { readonly delayMs: number };

/** A message as it travels, and its idempotency key if it has one. */
export function readMessage(input: MessageInput) {
  const {
    json,
    payload,
    at,
    in: delay,
    deliveryTime,
    delayMs,
    idempotencyKey,
    ...others
  } = objectOf(input, "A message");
  if (typeof others.targetId !== "string" || others.targetId === "") {
    throw new InputError("targetId must be an id.");
  }
  if (
    payload === undefined ? json === undefined : typeof payload !== "string" || json !== undefined
  ) {
    throw new InputError("Give either payload (a string) or json.");
  }
  const when = { at, in: delay, deliveryTime, delayMs } as When;
  const time = others.debounce === undefined ? readTime(when) : {};
  const text = payload ?? jsonOf(json, "json");
  if (text === undefined) throw new InputError("json cannot be JSON.");
  // Fields that this version does not know go to the server, which names what it does not know.
  const body = jsonOf({ ...others, ...time, payload: text })!;
  return { body, idempotencyKey };
}

export function readWhen(when: Date | string | NewTime): WireTime {
  if (!isObject(when) || when instanceof Date) return readTime({ at: when });
  const { notAfter, notAfterMs } = when;
  // What is undefined does not travel.
  return Object.assign(readTime(when), { notAfter, notAfterMs });
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
  if (delay !== undefined) return { delayMs: milliseconds(delay) };
  if (delayMs !== undefined) return { delayMs };
  const time = at ?? deliveryTime;
  if (time instanceof Date) return { deliveryTime: isoTime(time, "at") };
  if (typeof time === "string") return { deliveryTime: time };
  throw new InputError(
    "A time must be a Date or like 2030-01-01T09:00:00Z; a delay, { in: 5000 }.",
  );
}

function milliseconds(delay: Delay): number {
  let sum = typeof delay === "number" ? delay : Number.NaN;
  if (isObject(delay)) {
    // NaN stays if no unit has a value: that does not mean now. An unknown unit, or no number, makes it NaN.
    const given = Object.entries(delay).filter(([, count]) => count !== undefined);
    const parts = given.map(([unit, count]) =>
      typeof count === "number" ? count * unitsMs[unit]! : Number.NaN,
    );
    if (parts.length > 0) sum = parts.reduce((one, other) => one + other);
  }
  if (sum >= 0 && sum <= Number.MAX_SAFE_INTEGER) return Math.round(sum);
  const units = Object.keys(unitsMs).join(", ");
  throw new InputError(`in must be milliseconds, or an object of ${units}; from 0 on.`);
}

export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
