import type { Static, TSchema } from "typebox";
import { Type } from "./type.ts";

/** Refers to a schema by its name, so that it is described only once. */
export function named<Schema extends TSchema>(schema: Schema) {
  if (!("$id" in schema)) throw new Error("only a schema with an $id can be referred to");
  return Type.Unsafe<Static<Schema>>({ $ref: `${String(schema.$id)}#` });
}

/** An object that refuses unknown fields. */
export const strict = { additionalProperties: false } as const;

const exampleTime = "2026-11-14T09:30:00.000Z";

/** In answers: UTC, with milliseconds. */
export function time(description: string) {
  return Type.String({ format: "date-time", description, examples: [exampleTime] });
}

/** A type list instead of a union: serialisers and validators handle it without trying each branch. */
export function timeOrNull(description: string) {
  return Type.Unsafe<string | null>({
    type: ["string", "null"],
    format: "date-time",
    description,
    examples: [exampleTime],
  });
}

export function textOrNull(description: string) {
  return Type.Unsafe<string | null>({ type: ["string", "null"], description });
}

export function integerOrNull(description: string) {
  return Type.Unsafe<number | null>({ type: ["integer", "null"], description });
}

/** In requests: any RFC 3339 date and time with an offset. */
export function givenTime(description: string) {
  return Type.String({
    format: "date-time",
    description: `${description} RFC 3339 with an offset (\`Z\` or \`±hh:mm\`); fractions beyond milliseconds are cut off.`,
    examples: ["2026-11-14T09:30:00Z"],
  });
}

/** A thousand years of 366 days. An instant that far away still has a year of four digits. */
export const longestDelayMs = 31_622_400_000_000;

/** In requests: a delay, counted by the store's clock. */
export function givenDelay(description: string) {
  return Type.Integer({
    minimum: 0,
    maximum: longestDelayMs,
    description: `${description} Milliseconds, up to 31,622,400,000,000 (1,000 years).`,
    examples: [7_200_000],
  });
}

export const messageId = Type.String({
  description: "Identifier of the message.",
  examples: ["msg_01k9xvq8c7e4nv3q0t2m5r8w1z"],
});

export const targetId = Type.String({
  description: "Identifier of the target.",
  examples: ["orders"],
});

export const payloadLimit = 61_440;

export const payload = Type.String({
  maxLength: payloadLimit,
  description:
    "The text to deliver, byte for byte as UTF-8: up to 61,440 Unicode code points. It may be empty.",
  examples: ['{"order":4711,"remind":true}'],
});

/** Text without control characters. People read it, and PostgreSQL's text cannot hold a NUL. */
export const printable = "^[^\\u0000-\\u001f\\u007f]*$";

/** As `printable`, and without the control characters beyond ASCII. */
export const withoutControls = "^[^\\u0000-\\u001f\\u007f-\\u009f]*$";

/** What callers may name a thing. */
export const chosenId = "^[A-Za-z0-9_-]{1,64}$";

/** What an idempotency key consists of. */
export const visibleAscii = "^[!-~]*$";
