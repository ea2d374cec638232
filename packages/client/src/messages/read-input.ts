import { InputError } from "../input-error.ts";
import { isoTime } from "../transport/api-request.ts";
import type { Delay, ManyInput, MessageInput, When } from "./message-input.ts";

const unitsMs = new Map([
  ["days", 86_400_000],
  ["hours", 3_600_000],
  ["minutes", 60_000],
  ["seconds", 1_000],
  ["milliseconds", 1],
]);

type WireTime = { readonly deliveryTime: string } | { readonly delayMs: number };

/** A message as it travels, and its idempotency key if it has one. */
export function readMessage(input: MessageInput | ManyInput) {
  const { json, payload, at, in: delay, deliveryTime, delayMs, ...rest } = objectOf(input);
  const { idempotencyKey, ...others } = rest as typeof rest & Pick<ManyInput, "idempotencyKey">;
  if (typeof others.targetId !== "string" || others.targetId === "") {
    throw new InputError("targetId must be an id.");
  }
  if (
    payload === undefined ? json === undefined : typeof payload !== "string" || json !== undefined
  ) {
    throw new InputError("Give either payload (a string) or json.");
  }
  const time = readTime({ at, in: delay, deliveryTime, delayMs } as When);
  const text = payload ?? jsonText(json);
  // Options that this version does not know go to the server, which names what it does not know.
  return { body: JSON.stringify({ ...others, ...time, payload: text }), idempotencyKey };
}

export function readWhen(when: Date | string | When): WireTime {
  if (typeof when === "string" || when instanceof Date) return readTime({ at: when });
  return readTime(objectOf(when));
}

function readTime({ at, in: delay, deliveryTime, delayMs }: When): WireTime {
  const given = [at, delay, deliveryTime, delayMs].filter((each) => each !== undefined);
  if (given.length !== 1) {
    throw new InputError("Say when with exactly one of at, in, deliveryTime and delayMs.");
  }
  if (delay !== undefined) return { delayMs: milliseconds(delay) };
  if (delayMs !== undefined) return { delayMs };
  const time = at ?? deliveryTime;
  if (time instanceof Date) return { deliveryTime: isoTime(time, "at") };
  if (typeof time === "string") return { deliveryTime: time };
  throw new InputError("A time must be a Date or a string like 2030-01-01T09:00:00Z.");
}

function milliseconds(delay: Delay): number {
  let sum = typeof delay === "number" ? delay : Number.NaN;
  if (typeof delay === "object" && delay !== null) {
    // NaN stays if no unit has a value: that does not mean now. An unknown unit makes it NaN.
    const given = Object.entries(delay).filter(([, count]) => count !== undefined);
    const parts = given.map(([unit, count]) => count * (unitsMs.get(unit) ?? Number.NaN));
    if (parts.length > 0) sum = parts.reduce((one, other) => one + other);
  }
  if (sum >= 0 && sum <= Number.MAX_SAFE_INTEGER) return Math.round(sum);
  const units = [...unitsMs.keys()].join(", ");
  throw new InputError(`in must be milliseconds, or an object of ${units}; from 0 on.`);
}

function jsonText(value: unknown): string {
  try {
    const text: string | undefined = JSON.stringify(value);
    if (text !== undefined) return text;
  } catch {
    // It has a circle, or a number that is too big.
  }
  throw new InputError("json cannot be JSON.");
}

function objectOf<Value extends object>(value: Value): Value {
  if (typeof value === "object" && value !== null) return value;
  throw new InputError("Give an object such as { targetId, in: { hours: 2 }, json }.");
}
