import { InputError } from "../input-error.ts";
import { isoTime } from "../transport/api-request.ts";
import type { Delay, ManyInput, MessageInput, When } from "./message-input.ts";

const unitsMs = {
  days: 86_400_000,
  hours: 3_600_000,
  minutes: 60_000,
  seconds: 1_000,
  milliseconds: 1,
};

type WireTime = { readonly deliveryTime: string } | { readonly delayMs: number };

/** A message as it travels, and its idempotency key if it has one. */
export function readMessage(input: MessageInput | ManyInput) {
  const { json, payload, at, in: delay, deliveryTime, delayMs, ...rest } = objectOf(input);
  const { idempotencyKey, ...others } = rest as typeof rest & Pick<ManyInput, "idempotencyKey">;
  if (typeof others.targetId !== "string" || others.targetId === "") {
    throw new InputError("A message needs a targetId: the id of the target that receives it.");
  }
  if ((json === undefined) === (payload === undefined)) {
    throw new InputError("A message needs either payload, a string, or json, a value; not both.");
  }
  if (payload !== undefined && typeof payload !== "string") {
    throw new InputError("payload must be a string. Give other values as json.");
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
    throw new InputError(
      "Say when with exactly one of: at (a Date, or a time with an offset), in ({ hours: 2 }, or milliseconds), deliveryTime, delayMs.",
    );
  }
  if (delay !== undefined) return { delayMs: milliseconds(delay) };
  if (delayMs !== undefined) return { delayMs };
  const time = at ?? deliveryTime;
  if (time instanceof Date) return { deliveryTime: isoTime(time, "at") };
  if (typeof time === "string") return { deliveryTime: time };
  throw new InputError("A time must be a Date, or a string such as 2026-11-14T09:30:00Z.");
}

function milliseconds(delay: Delay): number {
  let sum = 0;
  if (typeof delay === "number") sum = delay;
  else {
    const entries = Object.entries(objectOf(delay));
    if (entries.length === 0) throw new InputError("in must have a unit, such as { hours: 2 }.");
    for (const [unit, count] of entries) {
      if (!Object.hasOwn(unitsMs, unit)) {
        throw new InputError(`in cannot have ${unit}. Use ${Object.keys(unitsMs).join(", ")}.`);
      }
      sum += (count ?? 0) * unitsMs[unit as keyof typeof unitsMs];
    }
  }
  if (!(sum >= 0 && sum <= Number.MAX_SAFE_INTEGER)) {
    throw new InputError("in must come to a number of milliseconds from 0.");
  }
  return Math.round(sum);
}

function jsonText(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    throw new InputError("json cannot be written as JSON.", { cause: error });
  }
  if (text === undefined) {
    throw new InputError(`json must be a value that JSON has, not a ${typeof value}.`);
  }
  return text;
}

function objectOf<Value extends object>(value: Value): Value {
  if (typeof value === "object" && value !== null) return value;
  throw new InputError("An object is expected, such as { targetId, in: { hours: 2 }, json }.");
}
