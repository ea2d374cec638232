import { describe, expect, test } from "vitest";
import { InputError } from "../input-error.ts";
import type { MessageInput, When } from "./message-input.ts";
import { readMessage, readWhen } from "./read-input.ts";

const read = (input: unknown): unknown => JSON.parse(readMessage(input as MessageInput).body);
const when = (input: unknown): unknown => readWhen(input as When);
const plain = { targetId: "t", payload: "p" };

describe("when", () => {
  test.each([
    [{ at: new Date("2026-11-14T09:30:00Z") }, { deliveryTime: "2026-11-14T09:30:00.000Z" }],
    [{ at: "2026-11-14T09:30:00+01:00" }, { deliveryTime: "2026-11-14T09:30:00+01:00" }],
    [{ deliveryTime: "2026-11-14T09:30:00Z" }, { deliveryTime: "2026-11-14T09:30:00Z" }],
    [{ delayMs: 5 }, { delayMs: 5 }],
    [{ in: 1_500 }, { delayMs: 1_500 }],
    [{ in: 0 }, { delayMs: 0 }],
    [{ in: { hours: 2 } }, { delayMs: 7_200_000 }],
    [{ in: { minutes: 0.5 } }, { delayMs: 30_000 }],
    [
      { in: { days: 1, hours: 1, minutes: 1, seconds: 1, milliseconds: 1 } },
      { delayMs: 90_061_001 },
    ],
    [{ in: { days: 1, hours: undefined } }, { delayMs: 86_400_000 }],
  ])("%j is %j", (given, wire) => {
    expect(when(given)).toEqual(wire);
    expect(read({ ...plain, ...given })).toEqual({ ...plain, ...wire });
  });

  test("a Date or a string alone says it too", () => {
    expect(when(new Date(0))).toEqual({ deliveryTime: "1970-01-01T00:00:00.000Z" });
    expect(when("2026-11-14T09:30:00Z")).toEqual({ deliveryTime: "2026-11-14T09:30:00Z" });
  });

  test.each([
    [{}, /exactly one/],
    [{ at: new Date(), in: 5 }, /exactly one/],
    [{ delayMs: 5, in: 5 }, /exactly one/],
    [{ at: new Date(Number.NaN) }, /invalid Date/],
    [{ at: 5 }, /at \(a Date, or like/],
    [{ at: null }, /at \(a Date, or like/],
    [{ in: -1 }, /in must be milliseconds/],
    [{ in: Number.NaN }, /in must be milliseconds/],
    [{ in: Infinity }, /in must be milliseconds/],
    [{ in: {} }, /in must be milliseconds/],
    [{ in: { hours: undefined } }, /in must be milliseconds/],
    [{ in: { hour: 2 } }, /an object of days, hours, minutes, seconds, milliseconds/],
    [{ in: { hours: "2h" } }, /in must be milliseconds/],
    [{ in: { hours: null } }, /in must be milliseconds/],
    [{ in: { constructor: 1 } }, /in must be milliseconds/],
    [{ in: "2h" }, /in must be milliseconds/],
    [{ in: null }, /in must be milliseconds/],
  ])("%j is refused", (given, message) => {
    expect(() => when(given)).toThrow(InputError);
    expect(() => when(given)).toThrow(message);
    expect(() => read({ ...plain, ...given })).toThrow(message);
  });

  test.each([[null], [undefined], [5_000]])("%j is not a time, and the hint is one", (given) => {
    expect(() => when(given)).toThrow(InputError);
    expect(() => when(given)).toThrow(/in \(such as 5000\)/);
  });

  test("a BigInt is no number of anything", () => {
    expect(() => read({ ...plain, in: 5n })).toThrow(/in must be milliseconds/);
    expect(() => read({ ...plain, in: { hours: 2n } })).toThrow(/in must be milliseconds/);
    expect(() => read({ ...plain, delayMs: 5n })).toThrow(/delayMs cannot be JSON/);
  });
});

describe("content", () => {
  test.each([
    [{ a: [1, null] }, '{"a":[1,null]}'],
    [null, "null"],
    [0, "0"],
    ["", '""'],
    [new Date(0), '"1970-01-01T00:00:00.000Z"'],
  ])("json %j is the payload %s", (json, payload) => {
    expect(read({ targetId: "t", in: 1, json })).toMatchObject({ payload });
  });

  test("an empty payload is one", () => {
    expect(read({ targetId: "t", in: 1, payload: "" })).toMatchObject({ payload: "" });
  });

  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  test.each([
    ["nothing", { targetId: "t", in: 1 }, /either payload/],
    ["both", { ...plain, in: 1, json: 1 }, /either payload/],
    ["a payload that is no string", { targetId: "t", in: 1, payload: 5 }, /either payload/],
    ["a function", { targetId: "t", in: 1, json: () => 1 }, /a value that JSON has/],
    ["a circle", { targetId: "t", in: 1, json: circle }, /cannot be JSON/],
    ["a BigInt", { targetId: "t", in: 1, json: 5n }, /json cannot be JSON\./],
    ["a BigInt inside", { targetId: "t", in: 1, json: { a: 5n } }, /a cannot be JSON/],
    ["a BigInt elsewhere", { ...plain, in: 1, labels: { b: 5n } }, /b cannot be JSON/],
    [
      "debounce with a time",
      { ...plain, in: 1, key: "k", debounce: { quietMs: 1 } },
      /debounce sets the time: leave out at, in,/,
    ],
    ["no object", undefined, /either payload/],
  ])("%s is refused", (_, input, message) => {
    expect(() => read(input)).toThrow(InputError);
    expect(() => read(input)).toThrow(message);
  });
});

test("the reason why something cannot be JSON is the cause", () => {
  let caught: unknown;
  try {
    read({ targetId: "t", in: 1, json: 5n });
  } catch (error) {
    caught = error;
  }
  expect(caught).toMatchObject({ cause: expect.any(TypeError) });
});

test("what is wrong with a target, the server says", () => {
  expect(read({ in: 1, payload: "" })).toEqual({ delayMs: 1, payload: "" });
  expect(read({ targetId: "", in: 1, payload: "" })).toMatchObject({ targetId: "" });
});

test("a field that this version does not know goes to the server", () => {
  expect(read({ ...plain, in: 1, labels: { a: "b" } })).toMatchObject({ labels: { a: "b" } });
  expect(when({ in: 1, notBefore: 2 })).toEqual({ delayMs: 1, notBefore: 2 });
});
