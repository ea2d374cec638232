import type { EventPosition } from "./event.ts";

/** The first letter of what a text holds, so that a later form can be told from this one. */
const version = "1";

/** A position as callers see it. They are not to compute with it, so it does not look like a number. */
export function positionText(position: EventPosition): string {
  return Buffer.from(`${version}:${position}`).toString("base64url");
}

/** Undefined: the service has made no such text. */
export function readPositionText(text: string): EventPosition | undefined {
  const [, digits] = /^1:(0|[1-9]\d{0,15})$/.exec(Buffer.from(text, "base64url").toString()) ?? [];
  const position = Number(digits);
  if (!Number.isSafeInteger(position)) return undefined;
  // The decoder is lenient, but a position has only one spelling.
  return positionText(position) === text ? position : undefined;
}
